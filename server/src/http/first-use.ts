import { type Caller, mayTrade } from '@quipu/broker/access/caller.ts'
import type { Cause } from '@quipu/broker/journal/cause.ts'
import { EVERYTHING } from '@quipu/broker/market/interest.ts'
import { namedSymbol } from '@quipu/broker/market/tickers/tickers.ts'
import type { World } from '@quipu/broker/world/world.ts'
import { canBeNew, listsOnFirstUse, tickerOf } from '@quipu/core'
import { hintAtSymbol } from './hints.ts'
import type { Services } from './services.ts'

/** Whether a world lists the symbols that this caller names. A credential that only reads changes nothing. */
export const listsFor = (world: World, caller: Caller): boolean =>
  world.status.isUp && listsOnFirstUse(world.view) && world.market.live === undefined && mayTrade(caller)

/**
 * Lists the unknown ones of these symbols in a world that does so on first use; resolves when they are durable. Undefined
 * if there is nothing to do.
 */
export function nameSymbols(
  { limits }: Pick<Services, 'limits'>,
  world: World,
  names: readonly string[],
  cause: Cause | undefined,
): Promise<unknown> | undefined {
  const assets = world.market.assets()
  const symbols = names.map(tickerOf).filter((symbol) => !assets.has(symbol) && canBeNew(world.view, symbol))
  if (symbols.length === 0) return undefined
  const max = limits.firstUseSymbolsMax
  const command = { kind: 'nameSymbols', symbols: symbols.map(namedSymbol), max } as const
  return world.commands.submit(command, () => undefined, cause)
}

/** Notes the symbols of a subscription that the world does not have. */
export function noteUnknown({ log }: Pick<Services, 'log'>, world: World, names: readonly string[]): void {
  for (const name of names) if (name !== EVERYTHING) hintAtSymbol(log, world, name)
}
