// What the tests of the chart have in common: helm, and what it renders.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Manifest, parseManifests, renderChart } from '../../../deploy/helm/render.ts'
import { findProgram } from '../../../testkit/processes/find-program.ts'

export const CHART = 'deploy/helm/mintmark'
export const LEAST = `${CHART}/ci/least-values.yaml`

/** Its path; empty where there is none. */
export const HELM = findProgram('helm') ?? ''

/** A test that needs helm. Where there is none it says so by its name. */
export const testHelm = (title: string, work: () => void): void => {
  void (HELM === '' ? test(`${title}: not checked, for helm is not there`, () => undefined) : test(title, work))
}

export const render = (values: string, ...set: readonly string[]): readonly Manifest[] => {
  const rendered = renderChart(HELM, values, ...set)
  assert.ok('text' in rendered, 'refused' in rendered ? rendered.refused : '')
  return parseManifests(rendered.text)
}

export const ofKind = (manifests: readonly Manifest[], kind: string): Manifest => {
  const found = manifests.find(one => one.kind === kind)
  assert.ok(found, `No ${kind} is rendered.`)
  return found
}
