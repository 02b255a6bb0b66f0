// What the operation on the settings of the service does. It decides nothing: the configuration recorded them.
import * as api from '../../../../api/settings.ts'
import type { Setting } from '../../../../api/values/settings.ts'
import { bind } from './binding.ts'

const settingRecord = ({ isSecret, ...setting }: Setting) => ({ ...setting, secret: isSecret })

export const bindings = [
  bind(api.listSettings, {
    run: async ({ settings }) => ({ all: await settings.list() }),
    answer: ({ all }) => ({ data: all.map(settingRecord) }),
  }),
]
