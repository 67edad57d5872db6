import type { Client } from '@quipu/sdk'

type Measured = { readonly operator: Client; readonly world: string }

/** The symbols of a run that the market did not have. */
export type RunSymbols = {
  /** Listed on first use during the run. */
  readonly listed: readonly string[]
  /** Named by requests or subscriptions, and not found. */
  readonly unknown: readonly string[]
  /** Whether the world lists no more symbols on first use. */
  readonly limit_reached: boolean
}

type Seen = {
  readonly listed: ReadonlySet<string>
  readonly unknown: ReadonlyMap<string, number>
  readonly isFull: boolean
}

/** Compares the unknown symbols of a world at the start of a run with those at its end. */
export class SymbolWatch {
  readonly #measured: Measured
  readonly #before: Seen

  private constructor(measured: Measured, before: Seen) {
    this.#measured = measured
    this.#before = before
  }

  static async start(measured: Measured): Promise<SymbolWatch> {
    return new SymbolWatch(measured, await seenIn(measured))
  }

  async since(): Promise<RunSymbols> {
    const { listed, unknown, isFull } = await seenIn(this.#measured)
    const before = this.#before
    return {
      listed: [...listed].filter((symbol) => !before.listed.has(symbol)),
      unknown: [...unknown].flatMap(([symbol, requests]) =>
        requests > (before.unknown.get(symbol) ?? 0) ? [symbol] : [],
      ),
      limit_reached: isFull,
    }
  }
}

async function seenIn({ operator, world }: Measured): Promise<Seen> {
  const { any, listed, limit, unknown } = await operator.getWorldSymbols({ params: { world } })
  return {
    listed: new Set(listed),
    unknown: new Map(unknown.map(({ symbol, requests }) => [symbol, requests])),
    isFull: any && listed.length >= limit,
  }
}
