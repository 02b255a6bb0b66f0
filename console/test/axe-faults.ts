// What axe finds wrong with a page: the faults alone, for to describe all that is right takes most of its time.
import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from 'playwright-core'

/** By rule, and the first element of each; of a part of the page where a selector names one. */
export const findAxeFaults = async (
  page: Page,
  part?: string,
): Promise<readonly (readonly [rule: string, html: string | undefined])[]> => {
  // Without frames it needs no page of its own.
  const axe = new AxeBuilder({ page }).setLegacyMode().options({ resultTypes: ['violations'] })
  const { violations } = await (part === undefined ? axe : axe.include(part)).analyze()
  return violations.map(({ id, nodes }) => [id, nodes[0]?.html] as const)
}
