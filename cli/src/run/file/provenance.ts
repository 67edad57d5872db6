import type { WorldRecord } from '@quipu/contract'

const SETTING_MAX = 400

/** The settings of a world that results depend on. */
export function worldSettings(world: WorldRecord): readonly string[] {
  const { fees, fill_size: size, latency_ms: latency, market, symbols, prices, margin, venue } = world
  const { market_seed: seed, market_events: events = [], follows } = world
  const texts = [
    `fees ${words(fees)}`,
    `fills ${size}`,
    `latency ${latency} ms`,
    `market ${market}`,
    seed !== undefined && `market seed ${seed}`,
    follows !== undefined && `market of ${follows}`,
    symbols && `symbols ${symbols.join(', ')}`,
    prices && `price paths of ${prices.join(', ')}`,
    margin && `margin ${words(margin)}`,
    venue && `venue ${words(venue)}`,
    events.length > 0 && `market events ${events.length}`,
  ]
  return texts.flatMap((text) => (text ? [text.slice(0, SETTING_MAX)] : []))
}

const words = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))
