// What the operation on the settings of the service does. It decides nothing: the configuration recorded them.
import * as api from '../../../../api/settings.ts'
import { bind } from './binding.ts'

export const bindings = [
  bind(api.listSettings, {
    run: async ({ settings }) => ({ all: await settings.list() }),
    answer: ({ all }) => ({ data: all.map(({ isSecret, ...setting }) => ({ ...setting, secret: isSecret })) }),
  }),
]
