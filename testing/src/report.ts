import type { World, WorldEvent } from './types.ts'

const EVENTS = 10

/** Describes a world for the message of a failed test: seed, journal hash and the last events. */
export async function reportOf(world: World): Promise<string> {
  try {
    const [hash, events] = [await world.journalHash(), await world.events(EVENTS)]
    return [
      `Quipu world ${world.name}, seed ${JSON.stringify(world.seed)}, journal hash ${hash}`,
      ...events.map(lineOf),
    ].join('\n  ')
  } catch (error) {
    // The broker may be closed; the failure of the test is more important.
    return `Quipu world ${world.name}, seed ${JSON.stringify(world.seed)} (its journal cannot be read: ${error})`
  }
}

/** Fields of an event that identify it, in this order. */
const shown = ['clientOrderId', 'symbol', 'side', 'quantity', 'price', 'reason'] as const

function lineOf({ number, at, kind, order_id, event }: WorldEvent): string {
  const order = event['order']
  const fields = typeof order === 'object' && order !== null ? { ...event, ...order } : event
  const details = shown
    .map((name) => fields[name as keyof typeof fields])
    .filter((value) => typeof value === 'string' || typeof value === 'number')
  return [`#${number}`, at, kind, order_id ?? '', ...details].filter(Boolean).join(' ')
}
