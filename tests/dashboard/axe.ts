import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Page } from 'playwright-core'

const axeSource = readFileSync(
  createRequire(join(import.meta.dirname, '../../web/package.json')).resolve('axe-core/axe.min.js'),
  'utf8',
)

type Axe = {
  run(
    part: object,
    options: object,
  ): Promise<{
    readonly violations: readonly {
      readonly id: string
      readonly nodes: readonly { readonly html: string }[]
    }[]
  }>
}

export type Scope = {
  /** A selector of the parts to check, where another test checks the rest of the screen. Default: the page. */
  readonly within?: string
  /** Another theme changes colours only. */
  readonly onlyColours?: boolean
}

/** What axe finds. A whole page costs 0.4 CPU seconds. */
export async function accessibilityProblems(
  page: Page,
  { within, onlyColours = false }: Scope = {},
): Promise<readonly string[]> {
  // The policy of the page forbids scripts that are not its own; an evaluated one is the browser's.
  if (!(await page.evaluate('"axe" in globalThis'))) await page.evaluate(axeSource)
  const options = onlyColours ? { runOnly: ['color-contrast'] } : {}
  const { violations } = await page.evaluate(
    ([part, chosen]) => (globalThis as unknown as { axe: Axe }).axe.run(part, chosen),
    [{ include: within ?? 'html' }, { ...options, resultTypes: ['violations'] }] as const,
  )
  return violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`,
  )
}
