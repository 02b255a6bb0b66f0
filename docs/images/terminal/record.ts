// Records docs/images/terminal/session.svg: runs the commands below against a new service of its own and draws what a terminal of
// 126 columns shows. `npm run record` puts it there.
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

const PROGRAM = resolve(import.meta.dirname, '../../../server/src/main.ts')
const TARGET = resolve(import.meta.dirname, 'session.svg')
const COLUMNS = 126
/** Apart from those of `npm start`, which may be running. */
const [PORT, PROVIDER_PORT] = ['18480', '18481']

type Step = {
  /** As a person types it; `$NAME` is what an earlier step kept. */
  readonly line: string
  /** Keeps the first group of what the pattern finds in the output. */
  readonly keep?: readonly [name: string, pattern: RegExp]
}

export const STEPS: readonly Step[] = [
  {
    line: 'mintmark agent create --name reports --scope "db:read db:write" --default-scope db:read',
    keep: ['AGENT', /agent_id +(\S+)/],
  },
  { line: 'mintmark agent list' },
  {
    line: 'curl -s $BASE_URL/oauth/token -u $AGENT:$SECRET -d grant_type=client_credentials | cut -c1-60',
  },
  { line: 'mintmark token list --limit 1', keep: ['TOKEN', /^([0-9a-f]{8}-\S+)/m] },
  { line: 'mintmark token revoke $TOKEN --reason secret_leaked --yes | grep -E "^(state|ended|termination)"' },
  {
    line: 'mintmark revocation create --agent $AGENT --note "ran away" --yes | grep -E "^(id|reason|note|created|state)"',
  },
  { line: 'mintmark token history --limit 1 --json | cut -c1-124' },
]

const startService = async (folder: string) => {
  const env = { ...process.env, PORT, MINTMARK_DEV_IDP_PORT: PROVIDER_PORT }
  const child = spawn(process.execPath, [PROGRAM, 'dev'], { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] })
  const ready = Promise.withResolvers<undefined>()
  let printed = ''
  child.stdout.on('data', (chunk: Buffer) => {
    printed += chunk.toString()
    if (printed.includes('jwks.json')) ready.resolve(undefined)
  })
  child.on('exit', code => ready.reject(new Error(`The service ended with ${code}: ${printed}`)))
  await ready.promise
  return child
}

const environmentOf = (folder: string): Record<string, string> => {
  const text = readFileSync(join(folder, '.mintmark/dev.env'), 'utf8')
  return Object.fromEntries(
    [...text.matchAll(/^export (\w+)='?([^'\n]*)'?$/gm)].map(([, name = '', value = '']) => [name, value]),
  )
}

const substitute = (line: string, kept: Readonly<Record<string, string>>): string =>
  line.replaceAll(/\$([A-Z_]+)/g, (whole, name: string) => kept[name] ?? whole)

const escapeXml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

const fold = (line: string): readonly string[] => line.match(new RegExp(`.{1,${COLUMNS}}`, 'gu')) ?? ['']

const [LINE_HEIGHT, CHARACTER_WIDTH, MARGIN] = [19, 8.05, 16]

const draw = (lines: readonly string[]): string => {
  const [width, height] = [Math.ceil(COLUMNS * CHARACTER_WIDTH + 2 * MARGIN), lines.length * LINE_HEIGHT + 3 * MARGIN]
  const text = lines.map((line, n) => {
    const style = line.startsWith('$ ') ? ' class="typed"' : ''
    return `<text x="${MARGIN}" y="${2 * MARGIN + (n + 1) * LINE_HEIGHT}"${style} xml:space="preserve">${escapeXml(line)}</text>`
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
<style>
  rect { fill: #10201b }
  text { fill: #d7e4df; font: 13px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace }
  .typed { fill: #6fd6b0; font-weight: bold }
</style>
<rect width="${width}" height="${height}" rx="8"/>
<circle cx="20" cy="18" r="5" fill="#e0685e"/><circle cx="38" cy="18" r="5" fill="#e3b341"/><circle cx="56" cy="18" r="5" fill="#4fb37c"/>
${text.join('\n')}
</svg>
`
}

const record = (folder: string): readonly string[] => {
  let kept = environmentOf(folder)
  const env = { ...process.env, ...kept, COLUMNS: String(COLUMNS) }
  return STEPS.flatMap(({ line, keep }) => {
    const command = substitute(line, kept).replaceAll('mintmark ', `${process.execPath} ${PROGRAM} `)
    const { stdout, stderr } = spawnSync('bash', ['-c', command], { cwd: folder, env, encoding: 'utf8' })
    const secret = /client_secret +(\S+)/.exec(stdout)?.[1]
    if (secret !== undefined) kept = { ...kept, SECRET: secret }
    if (keep !== undefined) {
      const found = keep[1].exec(stdout)?.[1]
      if (found === undefined) throw new Error(`${line} printed no ${keep[0]}: ${stdout}${stderr}`)
      kept = { ...kept, [keep[0]]: found }
    }
    const shown = substitute(line, { ...kept, SECRET: '$SECRET', BASE_URL: '$BASE_URL' })
    const printed = `${stdout}${stderr}`.replaceAll(/(mm[ac]_\w{6})\w+/g, '$1…')
    return [...fold(`$ ${shown}`), ...printed.trimEnd().split('\n').flatMap(fold), '']
  })
}

if (import.meta.main) {
  const folder = mkdtempSync(join(tmpdir(), 'mintmark-record-'))
  const service = await startService(folder)
  try {
    writeFileSync(TARGET, draw(record(folder)))
  } finally {
    service.kill('SIGTERM')
    rmSync(folder, { recursive: true, force: true })
  }
}
