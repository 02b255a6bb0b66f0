// What the values of the chart change in the manifests, and that a key never comes twice in one of their mappings.
import assert from 'node:assert/strict'
import { type Manifest, parseManifests, renderChart, renderRelease } from '../../../deploy/helm/render.ts'
import { HELM, LEAST, ofKind, render, testHelm } from './rendered-chart.ts'

const podsOf = (manifests: readonly Manifest[]) =>
  ['Deployment', 'Job'].map(
    kind =>
      ofKind(manifests, kind).spec?.['template'] as {
        readonly metadata: { readonly labels: object; readonly annotations: object }
        readonly spec: Readonly<Record<string, unknown>> & {
          readonly containers: readonly Readonly<Record<string, unknown>>[]
        }
      },
  )

testHelm('pods listen on both families, for metrics too, or where the values say', () => {
  const addressesOf = (...set: readonly string[]): readonly unknown[] => {
    const { data } = ofKind(render(LEAST, 'metrics.enabled=true', ...set), 'ConfigMap')
    return [data?.['HOST'], data?.['MINTMARK_METRICS_ADDRESS']]
  }
  assert.deepEqual(addressesOf(), ['::', '[::]:9464'])
  assert.deepEqual(addressesOf('settings.HOST="0.0.0.0"'), ['0.0.0.0', '0.0.0.0:9464'])
  assert.deepEqual(addressesOf('settings.HOST=null'), [undefined, '0.0.0.0:9464'])
})

testHelm('the port of the values is that of the pod, with TLS probes speak it, and metrics have another', () => {
  const files = ['CERT', 'KEY'].map(name => `settings.MINTMARK_TLS_${name}_FILE="/run/secrets/mintmark/${name}"`)
  const set = ['settings.PORT="9464"', ...files]
  const [container] = podsOf(render(LEAST, ...set))[0]?.spec.containers ?? []
  assert.deepEqual(container?.['ports'], [{ name: 'http', containerPort: 9464 }])
  assert.deepEqual(container?.['livenessProbe'], {
    httpGet: { path: '/livez', port: 'http', scheme: 'HTTPS' },
    periodSeconds: 10,
    timeoutSeconds: 5,
    failureThreshold: 3,
  })
  assert.match(
    JSON.stringify(renderChart(HELM, LEAST, ...set, 'metrics.enabled=true')),
    /another port than settings.PORT/,
  )
})

testHelm('security contexts are merged key by key over those of the chart, and null takes a key away', () => {
  const openShift = ['runAsUser', 'runAsGroup', 'fsGroup'].map(key => `podSecurityContext.${key}=null`)
  const others = ['podSecurityContext.supplementalGroups=[7]', 'securityContext.runAsUser=1000680000']
  for (const { spec } of podsOf(render(LEAST, ...openShift, ...others))) {
    assert.deepEqual(spec['securityContext'], {
      runAsNonRoot: true,
      seccompProfile: { type: 'RuntimeDefault' },
      supplementalGroups: [7],
    })
    assert.deepEqual(spec.containers[0]?.['securityContext'], {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
      runAsUser: 1_000_680_000,
    })
  }
})

testHelm(
  'variables, volumes and mounts of the values come to the service and to the migration, and win by name',
  () => {
    const authority = { name: 'NODE_EXTRA_CA_CERTS', value: '/etc/authority/ca.crt' }
    const database = { name: 'DATABASE_URL_FILE', value: '/vault/url' }
    const volume = { name: 'authority', configMap: { name: 'authority' } }
    const mount = { name: 'authority', mountPath: '/etc/authority', readOnly: true }
    const set = [
      `extraEnv=${JSON.stringify([authority, database])}`,
      `extraVolumes=${JSON.stringify([volume])}`,
      `extraVolumeMounts=${JSON.stringify([mount])}`,
    ]
    const key = { name: 'MINTMARK_KEY_ENCRYPTION_KEY_FILE', value: '/run/secrets/mintmark/key-encryption-key' }
    for (const { spec } of podsOf(render(LEAST, ...set))) {
      assert.deepEqual(spec.containers[0]?.['env'], [key, authority, database])
      assert.deepEqual((spec['volumes'] as object[])[1], volume)
      assert.deepEqual((spec.containers[0]?.['volumeMounts'] as object[] | undefined)?.[1], mount)
    }
  },
)

testHelm('ports of the network policy are those of the values, of DNS too, with a protocol where one is given', () => {
  const set = [
    'networkPolicy.dnsPorts=[5353]',
    'networkPolicy.toPorts=[443,{"port":4317,"protocol":"UDP","endPort":4318}]',
  ]
  assert.deepEqual(ofKind(render(LEAST, ...set), 'NetworkPolicy').spec?.['egress'], [
    {
      ports: [
        { port: 5353, protocol: 'UDP' },
        { port: 5353, protocol: 'TCP' },
      ],
    },
    { ports: [{ port: 443 }, { port: 4317, protocol: 'UDP', endPort: 4318 }] },
  ])
})

testHelm('a label or an annotation of the values comes once, and wins but where pods are found by it', () => {
  const given = (...names: readonly string[]): string =>
    JSON.stringify(Object.fromEntries(names.map(name => [name, 'mine'])))
  const found = ['name', 'instance', 'component'].map(name => `app.kubernetes.io/${name}`)
  const rendered = render(
    LEAST,
    `podLabels=${given(...found, 'app.kubernetes.io/version')}`,
    `podAnnotations=${given('checksum/settings', 'note')}`,
    `commonLabels=${given(...found, 'app.kubernetes.io/part-of')}`,
    'metrics.enabled=true',
    'metrics.serviceMonitor.enabled=true',
    `metrics.serviceMonitor.labels=${given(...found, 'release')}`,
  )
  const [replica, migration] = podsOf(rendered)
  const labels = {
    'app.kubernetes.io/name': 'mintmark',
    'app.kubernetes.io/instance': 'mintmark',
    'app.kubernetes.io/part-of': 'mine',
    'app.kubernetes.io/version': 'mine',
    'app.kubernetes.io/managed-by': 'Helm',
    'helm.sh/chart': 'mintmark-0.1.0',
  }
  assert.deepEqual(replica?.metadata.labels, { ...labels, 'app.kubernetes.io/component': 'service' })
  assert.deepEqual(migration?.metadata.labels, { ...labels, 'app.kubernetes.io/component': 'migrate' })
  const annotations = new Map<string, unknown>(Object.entries(replica.metadata.annotations ?? {}))
  const checksum = annotations.get('checksum/settings')
  assert.equal(annotations.get('note'), 'mine')
  assert.notEqual(checksum, 'mine', 'Pods would not be made anew when settings change.')
})

testHelm('metrics are scraped as the job mintmark, by those that may, whatever the release is called', () => {
  const prometheus = { namespaceSelector: { matchLabels: { name: 'monitoring' } } }
  const set = ['metrics.enabled=true', 'metrics.serviceMonitor.enabled=true']
  const peers = `networkPolicy.metricsFrom=${JSON.stringify([prometheus])}`
  const rendered = renderRelease(HELM, 'tokens', LEAST, [...set, peers])
  assert.ok('text' in rendered)
  const manifests = parseManifests(rendered.text)
  const { spec } = ofKind(manifests, 'ServiceMonitor')
  const { metadata } = ofKind(manifests, 'Service') as unknown as { metadata: { labels: Record<string, string> } }
  assert.equal(metadata.labels[String(spec?.['jobLabel'])], 'mintmark')
  assert.deepEqual(ofKind(manifests, 'NetworkPolicy').spec?.['ingress'], [
    { from: [{ namespaceSelector: {} }], ports: [{ port: 'http' }] },
    { from: [prometheus], ports: [{ port: 'metrics' }] },
  ])
})

testHelm('a secret of the values in a variable replaces that of its file', () => {
  const url = { name: 'DATABASE_URL', valueFrom: { secretKeyRef: { name: 'database', key: 'url' } } }
  for (const { spec } of podsOf(render(LEAST, `extraEnv=${JSON.stringify([url])}`))) {
    const names = (spec.containers[0]?.['env'] as { readonly name: string }[] | undefined)?.map(({ name }) => name)
    assert.deepEqual(names, ['MINTMARK_KEY_ENCRYPTION_KEY_FILE', 'DATABASE_URL'])
  }
})

testHelm('a release of any name has a Service whose name begins with a letter and has no dot', () => {
  for (const release of ['1.5', 'a.mintmark', 'tokens']) {
    const rendered = renderRelease(HELM, release, LEAST, [])
    assert.ok('text' in rendered)
    assert.match(ofKind(parseManifests(rendered.text), 'Service').metadata.name, /^[a-z][a-z0-9-]*$/)
  }
})
