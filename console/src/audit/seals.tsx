// The check of the audit log against its seals: how far it is as it was sealed, or the first entry that is not.
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { CheckSealsAnswer } from '../../../packages/client/src/index.ts'
import { checkLog } from './check-log.ts'
import { Command } from '../parts/command.tsx'
import { Fault } from '../parts/fault.tsx'

const VERIFY = ['mintmark', 'audit', 'verify']

const count = (entries: number): string => `${entries} ${entries === 1 ? 'entry' : 'entries'}`

const Verdict = ({ part }: { readonly part: CheckSealsAnswer }) => {
  const { broken, entry, unsealed } = part
  if (broken !== null) {
    return (
      <div role="alert" className="fault">
        <p>
          <strong>
            Broken: entry {broken.entry} is {broken.tampering.replace('_', ' ')}.
          </strong>{' '}
          {broken.because}
        </p>
        <p className="quiet">
          The entries before it are as they were sealed. Keep a copy of the store as it is, and compare it with a
          backup.
        </p>
      </div>
    )
  }
  return (
    <p role="status">
      <span className="state active">verified</span>{' '}
      {entry === 0 ? 'Nothing is sealed yet.' : `Sealed up to entry ${entry}: all as it was written.`}
      {unsealed !== null && unsealed > 0 && ` ${count(unsealed)} not sealed yet.`}
    </p>
  )
}

export const Seals = () => {
  const [progress, setProgress] = useState<{ readonly entry: number; readonly of: number }>()
  const checking = useMutation({
    mutationFn: () => checkLog((entry, of) => setProgress({ entry, of })),
    onSettled: () => setProgress(undefined),
  })
  return (
    <section className="seals" aria-label="Seals">
      <div className="acts">
        <button type="button" disabled={checking.isPending} onClick={() => checking.mutate()}>
          Verify the seals
        </button>
        <Command words={VERIFY} />
      </div>
      {progress !== undefined && (
        <progress aria-label="Entries verified" value={progress.entry} max={Math.max(1, progress.of)} />
      )}
      {checking.data !== undefined && !checking.isPending && <Verdict part={checking.data} />}
      {checking.data === undefined && !checking.isPending && (
        <p className="quiet">
          Each entry is sealed within a second: from then on a change of it, or its removal, is found.
        </p>
      )}
      {checking.error !== null && <Fault fault={checking.error} onAgain={() => checking.mutate()} />}
    </section>
  )
}
