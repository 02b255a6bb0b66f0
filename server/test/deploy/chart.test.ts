// deploy/helm: the chart renders what the base for Kustomize has, and refuses values that would fail later. Where there is no helm, only
// what can be read is tested.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Ajv } from 'ajv'
import { parse } from 'yaml'
import { isJsonObject, type JsonObject } from '../../../packages/verify/src/readers/json.ts'
import {
  type Manifest,
  parseManifests,
  readValues,
  REFUSED,
  renderChart,
  renderRelease,
} from '../../../deploy/helm/render.ts'
import { fileVariableOf, settingEntries, type Variable } from '../../src/config/settings/settings.ts'
import { readText } from '../../../testkit/sources/source-files.ts'
import { CHART, HELM, LEAST, ofKind, render, testHelm } from './rendered-chart.ts'

const baseOf = (file: string): Manifest =>
  parse(readText(`deploy/kubernetes/${file}.yaml`), { merge: true }) as Manifest

type PodTemplate = { readonly spec: Readonly<Record<string, unknown>> & { readonly containers: readonly object[] } }

const podOf = ({ spec }: Manifest): PodTemplate['spec'] =>
  (spec?.['template'] as PodTemplate | undefined)?.spec ?? { containers: [] }

test('the chart has the version of the service', () => {
  const { version } = JSON.parse(readText('server/package.json')) as { readonly version: string }
  const chart = parse(readText(`${CHART}/Chart.yaml`)) as { readonly version: string; readonly appVersion: string }
  assert.deepEqual([chart.version, chart.appVersion], [version, version])
})

/** As helm merges: mappings key by key, anything else as a whole. */
const mergeValues = (under: JsonObject, over: JsonObject): JsonObject => {
  const merged = Object.entries(over).map(([key, value]) => {
    const below = under[key]
    return [key, isJsonObject(value) && isJsonObject(below) ? mergeValues(below, value) : value] as const
  })
  return { ...under, ...Object.fromEntries(merged) }
}

test('the defaults and the values of ci/ suit the schema, and a setting without quotes does not', () => {
  const isValid = new Ajv({ strict: false }).compile(JSON.parse(readText(`${CHART}/values.schema.json`)) as object)
  const defaults = parse(readText(`${CHART}/values.yaml`)) as JsonObject
  assert.ok(readValues().includes(LEAST))
  for (const path of readValues()) {
    const given = parse(readText(path)) as JsonObject
    const values = mergeValues(defaults, given)
    assert.ok(isValid(values), JSON.stringify(isValid.errors))
    assert.ok(!isValid(mergeValues(values, { settings: { MINTMARK_WORKERS: 2 } })))
  }
  assert.ok(!isValid(defaults), 'The three settings without a default are required.')
})

/** Those that the chart sets itself: by values, and by the secret that it mounts. */
const OF_THE_CHART = ['DATABASE_URL', 'MINTMARK_KEY_ENCRYPTION_KEY', 'MINTMARK_DATA_DIR', 'MINTMARK_METRICS_ADDRESS']

test('each setting of the service is one of the schema, but those that the chart sets and secrets, which have a file', () => {
  const { definitions, properties } = JSON.parse(readText(`${CHART}/values.schema.json`)) as {
    readonly definitions: object
    readonly properties: { readonly settings: Readonly<Record<string, unknown>> }
  }
  const { type, additionalProperties, properties: known } = properties.settings
  const accepts = new Ajv({ strict: false }).compile({ type, additionalProperties, properties: known, definitions })
  assert.ok(!accepts({ MINTMARK_WORKER: '2' }), 'A name that the service does not know.')
  const valueOf = (
    name: string,
    { fallback, example }: { readonly fallback?: string; readonly example?: string },
  ): string =>
    ({ MINTMARK_BASE_URL: 'https://auth.example.com', MINTMARK_IDP_ISSUER: 'https://login.example.com' })[name] ??
    fallback ??
    example ??
    'text'
  const refused = settingEntries().filter(([name, entry]) => !accepts({ [name]: valueOf(name, entry) }))
  const secrets = settingEntries().filter(([, { isSecret }]) => isSecret)
  assert.deepEqual(
    refused.map(([name]) => name).toSorted(),
    [...new Set([...OF_THE_CHART, ...secrets.map(([name]) => name)])].toSorted(),
  )
  for (const [name] of secrets.filter(([one]) => !OF_THE_CHART.includes(one)))
    assert.ok(accepts({ [fileVariableOf(name as Variable) ?? '']: '/run/secrets/mintmark/file' }), name) // a name of the table
})

testHelm('what the chart renders for a replica and the migration is what the base for Kustomize has', () => {
  const rendered = render(LEAST)
  for (const [kind, file] of [
    ['Deployment', 'deployment'],
    ['Job', 'migrate'],
  ] as const) {
    const { containers, topologySpreadConstraints: _, ...pod } = podOf(ofKind(rendered, kind))
    const { containers: inBase, topologySpreadConstraints: __, ...basePod } = podOf(baseOf(file))
    assert.deepEqual(pod, basePod)
    const ours = containers.map(one => ({ ...one, image: 'mintmark', imagePullPolicy: undefined }))
    assert.deepEqual(
      ours,
      inBase.map(one => ({ ...one, imagePullPolicy: undefined })),
    )
  }
  const { data } = ofKind(rendered, 'ConfigMap')
  const { configMapGenerator } = parse(readText('deploy/kubernetes/kustomization.yaml')) as {
    readonly configMapGenerator: readonly [{ readonly literals: readonly string[] }]
  }
  assert.deepEqual(
    Object.entries(data ?? {}).map(pair => pair.join('=')),
    configMapGenerator[0].literals.toSorted(),
  )
  assert.deepEqual(ofKind(rendered, 'NetworkPolicy').spec?.['egress'], [
    {
      ports: [
        { port: 53, protocol: 'UDP' },
        { port: 53, protocol: 'TCP' },
      ],
    },
    { ports: [{ port: 5432 }, { port: 443 }] },
  ])
})

testHelm('a migration has a name of its own for each image and settings, and stays: no hook, no time to live', () => {
  const jobOf = (...set: readonly string[]): Manifest => ofKind(render(LEAST, ...set), 'Job')
  const job = jobOf()
  const others = [jobOf('image.tag="0.2.0"'), jobOf('settings.MINTMARK_ACCESS_LOG="on"')]
  assert.equal(jobOf('replicas=5').metadata.name, job.metadata.name)
  assert.equal(new Set([job, ...others].map(({ metadata }) => metadata.name)).size, 3)
  assert.ok(!('annotations' in job.metadata))
  assert.equal(job.spec?.['ttlSecondsAfterFinished'], undefined)
})

testHelm('with a volume one pod migrates the store and serves it, at a time', () => {
  const rendered = render(`${CHART}/ci/volume-values.yaml`)
  const deployment = ofKind(rendered, 'Deployment')
  const pod = podOf(deployment) as { readonly initContainers?: readonly object[] } & ReturnType<typeof podOf>
  assert.deepEqual([deployment.spec?.['replicas'], deployment.spec?.['strategy']], [1, { type: 'Recreate' }])
  const [migrate, serve] = [...(pod.initContainers ?? []), ...pod.containers] as {
    env: object[]
    volumeMounts: object
  }[]
  assert.deepEqual(migrate?.env, serve?.env)
  assert.deepEqual(serve?.env[0], { name: 'MINTMARK_DATA_DIR', value: '/var/lib/mintmark/store' })
  assert.deepEqual(migrate?.volumeMounts, serve?.volumeMounts)
  const claim = ofKind(rendered, 'PersistentVolumeClaim')
  assert.deepEqual((pod['volumes'] as object[])[1], {
    name: 'store',
    persistentVolumeClaim: { claimName: claim.metadata.name },
  })
  assert.ok(!rendered.some(({ kind }) => kind === 'Job'))
})

testHelm('a name that YAML reads as a number or a boolean stays a name', () => {
  const names = ['secretName="1e3"', 'priorityClassName="true"', 'volume.storageClassName="0"']
  const textOf = (...set: readonly string[]): string => {
    const rendered = renderRelease(HELM, '123', `${CHART}/ci/volume-values.yaml`, [...names, ...set])
    return 'text' in rendered ? rendered.text : rendered.refused
  }
  // Kubernetes reads YAML as JSON, and refuses what is no string.
  const text = JSON.stringify([parseManifests(textOf()), parseManifests(textOf('volume.existingClaim="7"'))])
  for (const name of ['secretName', 'priorityClassName', 'storageClassName', 'claimName', 'app.kubernetes.io/instance'])
    assert.match(text, new RegExp(`"${name}":"`))
  assert.doesNotMatch(text, /"(?:\w+Name|app[^"]*)":[^"]/)
})

testHelm('values that the service or Kubernetes would refuse later are refused at once', () => {
  for (const [set, says] of REFUSED) {
    const rendered = renderChart(HELM, LEAST, set)
    assert.ok('refused' in rendered, `${set} is rendered.`)
    assert.match(rendered.refused, says)
  }
})
