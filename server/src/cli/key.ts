// mintmark key
import type { Command } from 'commander'
import * as rows from '../../../api/signing-keys.ts'
import { defineAdminCommand, type Shown } from './administer.ts'
import { addDryRun, describeEnds, type DryRunOption, endingBy } from './dry-run.ts'
import { addReencryptKeys } from './local/reencrypt-keys.ts'
import { showAll } from './lists/read-list.ts'
import { type Api, orWhereRefused } from './remote/api.ts'
import { parseDocument } from './terminal/parse-json.ts'
import { areRecords, isRecord, printLine, type PrintedRecord, printRecord } from './terminal/print.ts'
import { readStandardInput } from './terminal/standard-input.ts'

const COLUMNS = ['kid', 'algorithm', 'state', 'signs_from', 'signs_until', 'ready_in_seconds', 'leaves_in_seconds']
const EXAMPLE_KID = 'Vb3rV0mJcZ2mIY8mXx0ZJk5m1c8k1yq2nq2n0t1cH9k'
const CHANGED_JSON = 'print the record of the key, "current_kid" and "warning"'

/** To a person without the public key, and with what a change may break; as JSON all of it. */
const showKey = (key: PrintedRecord, remark?: string): Shown => ({
  json: key,
  forPeople: () => {
    const { public_jwk: _jwk, warning, ...rest } = key
    printRecord(rest)
    if (typeof warning === 'string') printLine(warning)
    if (remark !== undefined) printLine(remark)
  },
})

type Rotation = { readonly force?: boolean; readonly note?: string }

const verb = (key: Command, name: string, description: string): Command => key.command(name).description(description)

const ofOne = (command: Command): Command =>
  command.argument('<kid>', 'its kid, or where nothing ends the beginning of it; `mintmark key list` shows it')

const withNote = (command: Command, readers = 'the audit log'): Command =>
  command.option('--note <text>', `for those who read ${readers}`)

const addList = (key: Command): void =>
  defineAdminCommand(verb(key, 'list', 'list all signing keys, newest first, those that are gone too'), {
    json: 'print {"data":[…]}',
    examples: ['mintmark key list'],
    run: ({ api }) => showAll(api, rows.listSigningKeys, { columns: COLUMNS }),
  })

const addShow = (key: Command): void =>
  defineAdminCommand(
    ofOne(verb(key, 'show', 'show a signing key and how much of its life is left, never its private half')),
    {
      json: 'print the record, with the public key',
      examples: [`mintmark key show ${EXAMPLE_KID}`],
      run: async ({ api, args: [kid = ''] }) => showKey(await api.call(rows.showSigningKey, { path: { kid } })),
    },
  )

/** A rotation so soon after another one is more often a slip, or two people at once, than meant. */
const REPEAT_MS = 3_600_000

const minutesSince = (time: unknown): number | null => {
  const passed = Date.now() - Date.parse(String(time))
  return passed < REPEAT_MS ? Math.max(0, Math.floor(passed / 60_000)) : null
}

/** Asked about only where the key that signs took over from another within the hour; and where the caller may look at keys. */
const describeRepeat = async (api: Api): Promise<string | null> => {
  const { data } = await orWhereRefused({}, () => api.call(rows.listSigningKeys, { query: {} }))
  const keys = areRecords(data) ? data : []
  const [current, ...others] = keys.filter(({ state }) => state === 'current')
  const minutes = current === undefined || others.length > 0 ? null : minutesSince(current['signs_from'])
  if (minutes === null || !keys.some(({ state }) => state === 'retained')) return null
  return `The key that signs has signed for ${minutes} min only. This rotates again.`
}

const addRotate = (key: Command): void => {
  const command = verb(key, 'rotate', 'let the next key sign: now where verifiers have it, else as soon as they have')
  command.option('--force', 'at once, although verifiers that keep the key set may refuse its tokens for some minutes')
  defineAdminCommand<Rotation>(withNote(command), {
    json: CHANGED_JSON,
    examples: ['mintmark key rotate --note "quarterly"'],
    consequence: ({ api }) => describeRepeat(api),
    run: async ({ api, options: { force, note } }) => {
      const changed = await api.call(rows.rotateSigningKey, { body: { force, note } })
      const waits = 'It signs as soon as it has been published long enough.'
      return showKey(changed, changed['state'] === 'next' ? waits : undefined)
    },
  })
}

const addRetire = (key: Command): void => {
  const command = ofOne(verb(key, 'retire', 'take a key out of signing; what it signed lives on'))
  command.option('--force', 'at once, although verifiers may not have the key that follows')
  defineAdminCommand<Rotation>(withNote(command), {
    json: CHANGED_JSON,
    examples: [`mintmark key retire ${EXAMPLE_KID}`],
    ends: true, // its signing
    run: async ({ api, args: [kid = ''], options: { force, note } }) =>
      showKey(await api.call(rows.retireSigningKey, { path: { kid }, body: { force, note } })),
  })
}

const addCompromise = (key: Command): void => {
  const what = 'a key leaked: out of the key set, its tokens ended, another signs, all from exit code 0 on'
  type Options = Pick<Rotation, 'note'> & DryRunOption
  defineAdminCommand<Options>(addDryRun(withNote(ofOne(verb(key, 'compromise', what)), 'the history later')), {
    json: CHANGED_JSON,
    examples: [`mintmark key compromise ${EXAMPLE_KID} --yes`],
    ...endingBy<Options>({
      call: ({ api, args: [kid = ''], options: { note } }, dryRun) =>
        api.call(rows.compromiseSigningKey, { path: { kid }, body: { note, ...dryRun } }),
      sentence: async (ends, { api, args: [kid = ''] }) => {
        const { state } = await api.call(rows.showSigningKey, { path: { kid } })
        return `This takes the key ${kid} (${String(state)}) out of the key set for ever and ends every token that it signed: ${describeEnds(ends)}.`
      },
      show: changed => showKey(changed),
    }),
  })
}

/** A JWK where it is a JSON object, else PEM: what is neither is refused where it is read. */
const parseKey = (input: string): string | { readonly kty: string } => {
  const value = parseDocument(input)
  return isRecord(value) ? (value as { readonly kty: string }) : input // the service parses it
}

const addImport = (key: Command): void => {
  const what = 'take a private key (PKCS#8 in PEM, or a JWK) from standard input as the next key, under its own kid'
  const command = verb(key, 'import', what)
  command.option('--kid <new-kid>', 'its name; without it the one in the JWK, or else its thumbprint')
  defineAdminCommand<{ readonly kid?: string; readonly note?: string }>(withNote(command), {
    json: CHANGED_JSON,
    examples: ['mintmark key import --kid 2026-01 < key.pem'],
    run: async ({ api, options: { kid, note } }) => {
      const body = { private_key: parseKey(await readStandardInput('the private key')), kid, note }
      return showKey(await api.call(rows.importSigningKey, { body }))
    },
  })
}

export const addKey = (program: Command): void => {
  const key = program.command('key').description('the keys that sign tokens')
  const verbs = [addList, addShow, addRotate, addRetire, addCompromise, addImport, addReencryptKeys]
  for (const addTo of verbs) addTo(key)
}
