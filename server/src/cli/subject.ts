// mintmark subject
import { type Command, InvalidArgumentError } from 'commander'
import * as rows from '../../../api/issuers.ts'
import { ISSUER_SUBJECT_FORM, type IssuerSubject, parseIssuerSubject } from '../../../api/values/subject.ts'
import { defineAdminCommand, type Shown } from './administer.ts'
import { addDryRun, describeEnds, type DryRunOption, endingBy } from './dry-run.ts'
import { showAll } from './lists/read-list.ts'
import { type PrintedRecord, printRecord } from './terminal/print.ts'

const COLUMNS = ['sub', 'blocked_at', 'blocked_by', 'note']

const EXAMPLE = 'entra:0a1b2c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d'

type Note = { readonly note?: string }

const readSubject = (text = ''): IssuerSubject => {
  const subject = parseIssuerSubject(text)
  if (subject !== undefined) return subject
  throw new InvalidArgumentError(`Expected ${ISSUER_SUBJECT_FORM}.`)
}

const ofOne = (command: Command): Command =>
  command.argument('<alias:sub>', 'the subject, as `sub` of its tokens names it', text => readSubject(text))

/** No agent is looked up for `sub`: the issuer chose it, and it may be the id of one. */
const showSubject = (record: PrintedRecord): Shown => ({ json: record, forPeople: () => printRecord(record) })

const addBlock = (subject: Command): void => {
  const command = ofOne(
    subject.command('block').description('end every token for a subject of a trusted issuer, and issue no more'),
  ).option('--note <text>', 'for those who read the audit log and the history')
  defineAdminCommand<Note & DryRunOption>(addDryRun(command), {
    json: 'print the subject as JSON',
    examples: [`mintmark subject block ${EXAMPLE} --note "left the company" --yes`],
    ...endingBy<Note & DryRunOption>({
      call: ({ api, args: [text], options: { note } }, dryRun) => {
        const { issuer: alias, sub } = readSubject(text)
        return api.call(rows.blockSubject, { path: { alias }, body: { sub, note, ...dryRun } })
      },
      // It is blocked already where nothing would end, whatever lives.
      sentence: async (ends, { args: [text = ''] }) =>
        ends.reasons.length === 0
          ? null
          : `This refuses the JWTs of ${text} until it is unblocked. Tokens that end: ${describeEnds(ends)}.`,
      show: showSubject,
    }),
  })
}

const addUnblock = (subject: Command): void =>
  defineAdminCommand<Note>(
    ofOne(subject.command('unblock').description('issue tokens for a blocked subject again; none comes back')).option(
      '--note <text>',
      'for those who read the audit log',
    ),
    {
      json: 'print the subject as JSON',
      examples: [`mintmark subject unblock ${EXAMPLE} --note "came back"`],
      run: async ({ api, args: [text], options: { note } }) => {
        const { issuer: alias, sub } = readSubject(text)
        return showSubject(await api.call(rows.unblockSubject, { path: { alias }, body: { sub, note } }))
      },
    },
  )

type Filter = { readonly sub?: string }

const addList = (subject: Command): void =>
  defineAdminCommand<Filter>(
    subject
      .command('list')
      .description('list the blocked subjects of a trusted issuer')
      .argument('<alias>', 'the alias of the issuer; `mintmark issuer list` shows all')
      // A value that is called `sub` is looked up among agents.
      .option('--sub <text>', 'only this one, as the issuer names it'),
    {
      json: 'print {"data":[…]}, each subject as `subject block --json` prints it',
      examples: ['mintmark subject list entra'],
      run: ({ api, args: [alias = ''], options: { sub } }) =>
        showAll(api, rows.listSubjects, { path: { alias }, query: { sub }, columns: COLUMNS }),
    },
  )

export const addSubject = (program: Command): void => {
  const subject = program.command('subject').description('the subjects of trusted issuers, and which are blocked')
  for (const addTo of [addBlock, addUnblock, addList]) addTo(subject)
}
