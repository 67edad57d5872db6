import { type Checked, checks } from './checks.ts'
import { reportOf } from './report.ts'
import type { World } from './types.ts'

export type MatcherResult = { readonly pass: boolean; readonly message: () => string }

/** Turns a check into a matcher. With `.not` the message is about the opposite. */
const matcher =
  <Args extends unknown[]>(check: (world: World, ...args: Args) => Promise<Checked>) =>
  async (world: World, ...args: Args): Promise<MatcherResult> => {
    const { pass, message } = await check(world, ...args)
    const report = await reportOf(world)
    return {
      pass,
      message: () => `${pass ? message.replace('expected ', 'did not expect ') : message}\n${report}`,
    }
  }

/** Matchers for `expect.extend` of Vitest and Jest. */
export const matchers = {
  toHaveOneOrder: matcher(checks.oneOrder),
  toHaveNetPosition: matcher(checks.netPosition),
  toHaveCash: matcher(checks.cash),
  toHaveNoUnacknowledgedFill: matcher(checks.noUnacknowledgedFill),
}
