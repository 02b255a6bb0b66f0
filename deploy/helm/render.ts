// The chart as helm renders it.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { parseAllDocuments } from 'yaml'
import { readFiles, REPOSITORY } from '../../testkit/sources/source-files.ts'

const FOLDER = 'deploy/helm/mintmark'
const CHART = join(REPOSITORY, FOLDER)
/** Which Kubernetes it is rendered for; a helm that was built from its sources has another default. */
const CLUSTER = ['--kube-version', '1.34.0']

export type Manifest = {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string }
  readonly spec?: Readonly<Record<string, unknown>>
  readonly data?: Readonly<Record<string, string>>
}

/** Values under which it is linted and rendered, by path. */
export const readValues = (): readonly string[] => readFiles(`${FOLDER}/ci/*-values.yaml`).map(({ path }) => path)

const run = (helm: string, args: readonly string[]) => {
  const { status, stdout, stderr } = spawnSync(helm, args, { cwd: REPOSITORY, encoding: 'utf8' })
  return { failed: status !== 0, stdout, stderr: stderr.trim() }
}

/** What helm objects to, warnings too; null: nothing. */
export const lintChart = (helm: string, values: string): string | null => {
  const { failed, stdout, stderr } = run(helm, ['lint', '--strict', '--values', values, CHART])
  return failed ? `${stdout}${stderr}` : null
}

type Rendered = { readonly refused: string } | { readonly text: string }

/** `set`: single values over those of the file, as `--set-json` takes them. Answers why there is none, or the manifests as text. */
export const renderRelease = (helm: string, release: string, values: string, set: readonly string[]): Rendered => {
  const more = set.flatMap(one => ['--set-json', one])
  const { failed, stdout, stderr } = run(helm, ['template', release, CHART, ...CLUSTER, '--values', values, ...more])
  return failed ? { refused: stderr } : { text: stdout }
}

export const renderChart = (helm: string, values: string, ...set: readonly string[]): Rendered =>
  renderRelease(helm, 'mintmark', values, set)

/** Throws where a text is no YAML, such as a mapping that has a key twice. */
export const parseManifests = (text: string): readonly Manifest[] =>
  parseAllDocuments(text, { merge: true, uniqueKeys: true })
    .map(document => {
      for (const error of document.errors) throw error
      return document.toJS() as Manifest | null
    })
    .filter(manifest => manifest !== null)

/** Single values that the schema must refuse, with what it must say. */
export const REFUSED: readonly (readonly [set: string, says: RegExp])[] = [
  ['settings.MINTMARK_BASE_URL="http://auth.example.com"', /MINTMARK_BASE_URL/],
  ['settings.MINTMARK_BASE_URL=null', /MINTMARK_BASE_URL/],
  ['settings.MINTMARK_WORKERS=2', /MINTMARK_WORKERS/],
  ['settings.MINTMARK_KEY_ENCRYPTION_KEY="AAAA"', /MINTMARK_KEY_ENCRYPTION_KEY|false schema/i],
  ['settings.PATH="/tmp"', /PATH/],
  ['settings.MINTMARK_IDP_ROLE_CLAIMS="roles"', /MINTMARK_IDP_ROLE_CLAIMS/],
  ['settings.MINTMARK_IDP_ISSUER=null', /MINTMARK_IDP_ISSUER/],
  ['replicas=0', /replicas/],
  ['replica=3', /replica/],
  ['volume.enabled=true', /replicas/],
  ['image.digest="sha256:1"', /digest/],
  ['networkPolicy.from=[]', /from/],
  ['networkPolicy.from=null', /from/],
  ['networkPolicy.metricsFrom=null', /metricsFrom/],
  ['networkPolicy=null', /networkPolicy/],
  ['metrics.port=null', /port/],
  ['metrics.serviceMonitor.enabled=true', /metrics.enabled/],
  ['image.repository="#x"', /repository/],
  ['settings.MINTMARK_TLS_CERT_FILE="/tls/crt"', /MINTMARK_TLS_KEY_FILE/],
  ['settings.HOST="[::1]"', /HOST/],
  ['extraEnv=[{"name":"PORT","value":"9000"}]', /extraEnv/],
  ['extraVolumeMounts=[{"name":"a","mountPath":"/run/secrets/mintmark/"}]', /mountPath/],
  ['metrics.port=8080', /port/],
  ['settings.PORT="0"', /PORT/],
  ['networkPolicy.toPorts=[{"protocol":"UDP"}]', /toPorts/],
  ['extraVolumes=[{"name":"secrets"}]', /extraVolumes/],
  ['extraEnv=[{"name":"NODE_ENV","value":1}]', /extraEnv/],
]
