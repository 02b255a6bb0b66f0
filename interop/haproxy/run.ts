// HAProxy from Debian, with the files of docs/recipes/haproxy.md.
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { holdTo, ISSUER, withGateway } from '../debian/gateway.ts'

const file = (name: string): string => join(import.meta.dirname, name)

await withGateway(
  'haproxy',
  ({ folder }) => {
    execFileSync(process.execPath, [file('write-keys.mjs'), ISSUER, folder])
    return { args: ['-db', '-f', file('frame.cfg'), '-f', file('mintmark.cfg')], env: { KEYS: folder } }
  },
  async origin => {
    await holdTo({ address: `${origin}/`, seesRevocation: false })
  },
)
