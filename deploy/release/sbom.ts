// The software bill of materials in CycloneDX 1.6 (ECMA-424). `npm sbom` would leave out what the console's bundle holds, and needs
// a version of the repository's own manifest.
import { createHash } from 'node:crypto'
import type { Shipped } from './shipped.ts'

type Product = { readonly name: string; readonly version: string; readonly license: string }

/** Package URL: https://github.com/package-url/purl-spec. The `@` of a scope is encoded. */
const purlOf = ({ name, version }: { readonly name: string; readonly version: string }): string =>
  `pkg:npm/${name.replace(/^@/, '%40')}@${version}`

const hashesOf = (integrity: string | undefined) => {
  const [, digest] = /^sha512-(\S+)$/.exec(integrity ?? '') ?? []
  return digest === undefined
    ? {}
    : { hashes: [{ alg: 'SHA-512', content: Buffer.from(digest, 'base64').toString('hex') }] }
}

const licensesOf = (license: string | undefined) => {
  if (license === undefined) return {}
  return { licenses: [license.includes(' ') ? { expression: license } : { license: { id: license } }] }
}

const componentOf = ({ name, version, license, integrity }: Shipped) => ({
  type: 'library',
  'bom-ref': purlOf({ name, version }),
  name,
  version,
  purl: purlOf({ name, version }),
  ...hashesOf(integrity),
  ...licensesOf(license),
})

/** A UUID of version 8 (RFC 9562, 5.8) of the content: the same release has the same serial number. */
const serialOf = (content: string): string => {
  const hex = createHash('sha256').update(content).digest('hex')
  const variant = ((Number.parseInt(hex[16] ?? '0', 16) & 3) | 8).toString(16)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

/** One package may stand at several paths; it is one component. */
const byReference = (shipped: readonly Shipped[]): ReadonlyMap<string, Shipped> =>
  new Map(shipped.map(one => [purlOf(one), one]))

/**
 * The document as JSON. `direct`: paths of what the product itself depends on. `at`: the time of the release's commit, so that
 * two builds of it are equal.
 */
export const formatSbom = (
  product: Product,
  shipped: readonly Shipped[],
  { direct, at }: { readonly direct: readonly string[]; readonly at: Date },
): string => {
  const referenceAt = new Map(shipped.map(one => [one.path, purlOf(one)]))
  const refer = (paths: readonly string[]): readonly string[] =>
    [...new Set(paths.flatMap(path => referenceAt.get(path) ?? []))].toSorted()
  const components = [...byReference(shipped).values()].map(componentOf)
  const dependencies = [
    { ref: purlOf(product), dependsOn: refer(direct) },
    ...[...byReference(shipped)].map(([ref, { needs }]) => ({ ref, dependsOn: refer(needs) })),
  ]
  const { name, version, license } = product
  const body = {
    metadata: {
      timestamp: at.toISOString(),
      component: {
        type: 'application',
        'bom-ref': purlOf(product),
        name,
        version,
        purl: purlOf(product),
        licenses: [{ license: { id: license } }],
      },
    },
    components,
    dependencies,
  }
  const serialNumber = `urn:uuid:${serialOf(JSON.stringify(body))}`
  return `${JSON.stringify({ bomFormat: 'CycloneDX', specVersion: '1.6', serialNumber, version: 1, ...body }, null, 2)}\n`
}
