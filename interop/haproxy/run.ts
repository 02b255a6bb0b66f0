// HAProxy from Debian, with the files of docs/recipes/haproxy.md.
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { holdTo, ISSUER, withGateway } from '../debian/gateway.ts'

const file = (name: string): string => join(import.meta.dirname, name)

await withGateway(
  'haproxy',
  ({ folder }) => {
    const key = join(folder, 'mintmark.pem')
    writeFileSync(key, execFileSync(process.execPath, [file('write-key.mjs'), ISSUER]))
    return { args: ['-db', '-f', file('frame.cfg'), '-f', file('mintmark.cfg')], env: { KEY: key } }
  },
  async origin => {
    await holdTo({ address: `${origin}/`, seesRevocation: false })
  },
)
