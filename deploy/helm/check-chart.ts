// npm run check:chart: lints and renders the chart, and validates what it renders, and the base for Kustomize, against the schemas of three
// versions of Kubernetes. Needs helm, and kubernetes-validate of PyPI.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stringify } from 'yaml'
import { findProgram } from '../../testkit/processes/find-program.ts'
import { readFiles } from '../../testkit/sources/source-files.ts'
import { lintChart, type Manifest, parseManifests, readValues, REFUSED, renderChart } from './render.ts'

/** The exit code where a program is missing. */
const CANNOT_RUN = 2
/** The oldest that Chart.yaml allows, one between, and the newest of which the validator has schemas. */
const KUBERNETES = ['1.29', '1.34', '1.37'] as const

const print = (line: string): void => void process.stdout.write(`${line}\n`)

let failed = 0
const report = (what: string, fault: string | null): void => {
  failed += fault === null ? 0 : 1
  print(`${what}: ${fault ?? 'no fault'}`)
}

const folder = mkdtempSync(join(tmpdir(), 'mintmark-chart-'))

/** A resource of the Prometheus operator has no schema of Kubernetes. */
const isOfKubernetes = ({ apiVersion }: Manifest): boolean => !apiVersion.startsWith('monitoring.coreos.com/')

const validate = (validator: string, what: string, manifests: readonly Manifest[]): void => {
  const file = join(folder, 'manifests.yaml')
  writeFileSync(
    file,
    manifests
      .filter(isOfKubernetes)
      // Kubernetes reads YAML 1.1, where an unquoted `on` is a boolean.
      .map(one => stringify(one, { version: '1.1' }))
      .join('---\n'),
  )
  for (const version of KUBERNETES) {
    const { status, stdout, stderr } = spawnSync(validator, ['--strict', '--kubernetes-version', version, file], {
      encoding: 'utf8',
    })
    report(`${what}, Kubernetes ${version}`, status === 0 ? null : `${stdout}${stderr}`)
  }
}

const checkValues = (helm: string, validator: string, values: string): void => {
  report(`${values}, lint`, lintChart(helm, values))
  const rendered = renderChart(helm, values)
  if ('refused' in rendered) report(`${values}, rendering`, rendered.refused)
  else validate(validator, values, parseManifests(rendered.text))
}

const checkRefusals = (helm: string, values: string): void => {
  for (const [set, says] of REFUSED) {
    const rendered = renderChart(helm, values, set)
    report(`${set} is refused`, 'refused' in rendered && says.test(rendered.refused) ? null : 'it is rendered')
  }
}

const check = (helm: string, validator: string): void => {
  const all = readValues()
  for (const values of all) checkValues(helm, validator, values)
  checkRefusals(helm, all[0] ?? '')
  const base = readFiles('deploy/kubernetes/*.yaml').filter(({ path }) => !path.endsWith('kustomization.yaml'))
  validate(
    validator,
    'deploy/kubernetes',
    base.flatMap(({ text }) => parseManifests(text)),
  )
}

try {
  const [helm, validator] = [findProgram('helm'), findProgram('kubernetes-validate')]
  if (helm === undefined || validator === undefined) {
    print('check:chart: skipped, it needs helm (helm.sh) and kubernetes-validate (PyPI) on the path.')
    process.exitCode = CANNOT_RUN
  } else {
    check(helm, validator)
    print(`${failed} failed`)
    process.exitCode = failed > 0 ? 1 : 0
  }
} finally {
  rmSync(folder, { recursive: true })
}
