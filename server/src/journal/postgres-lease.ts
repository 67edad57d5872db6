import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import type { Connection } from '../postgres/connection.ts'
import { Chain } from './chain.ts'
import { Fenced, type Position } from './journal.ts'

/** Who holds worlds: this process, told apart from every other one, earlier ones of the same number included. */
export type Holder = { readonly name: string; isKnown: boolean }

export const newHolder = (): Holder => ({
  name: `${hostname()} process ${process.pid} (${randomUUID().slice(0, 8)})`,
  isKnown: false,
})

/** The right to append, with the number that every append must show, and the head as it was taken over. */
export type Lease = Position & { readonly fence: number }

const take = `
  INSERT INTO quipu_journals AS held (world, seq, hash, fence, holder) VALUES ($1, 0, $3, 1, $2)
  ON CONFLICT (world) DO UPDATE SET fence = held.fence + 1, holder = $2, taken_at = now()
  RETURNING seq, hash, fence`

const renew = `
  UPDATE quipu_journals SET fence = fence + 1 WHERE world = $1 AND holder = $2 RETURNING seq, hash, fence`

/**
 * Takes a world over, whoever had it: from here on the number of anyone before is refused. An append that is under
 * way elsewhere is waited for, since it holds the row. A holder that has had the world before gets it again only if
 * nobody has taken it meanwhile, so that two engines can not throw each other out for ever.
 */
export async function takeLease(connection: Connection, world: string, holder: Holder): Promise<Lease> {
  const { rows } = holder.isKnown
    ? await connection.query(renew, [world, holder.name])
    : await connection.query(take, [world, holder.name, new Chain().position.hash])
  if (rows.length === 0) throw new Fenced(world, await holderOf(connection, world))
  holder.isKnown = true
  const [{ seq, hash, fence }] = rows
  return { seq: Number(seq), hash, fence: Number(fence) }
}

/** Whether the number is still the one that counts. */
export async function holds(connection: Connection, world: string, fence: number): Promise<boolean> {
  const { rows } = await connection.query({
    name: 'holds',
    text: 'SELECT 1 FROM quipu_journals WHERE world = $1 AND fence = $2',
    values: [world, fence],
  })
  return rows.length > 0
}

/** Who has the world now, for a message. */
export async function holderOf(connection: Connection, world: string): Promise<string> {
  const { rows } = await connection.query('SELECT holder FROM quipu_journals WHERE world = $1', [world])
  return rows[0]?.holder ?? 'nobody: its row is gone'
}
