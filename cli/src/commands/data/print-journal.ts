import { mainPaths } from '@quipu/broker/data-folder/folder-layout.ts'
import { type Entry, JournalDamaged, type JournalPosition } from '@quipu/broker/journal/journal.ts'
import { readEvents } from '@quipu/broker/journal/postgres/reader.ts'
import { JournalReader } from '@quipu/broker/journal/reader.ts'
import { verifyJournal } from '@quipu/broker/journal/walk.ts'
import { addressOf, withConnection } from '@quipu/broker/postgres/connection.ts'
import { eventToWire } from '@quipu/server/wire/event-wire.ts'
import { numberedEntry } from '@quipu/server/wire/numbered-event.ts'
import { CommandFailed } from '../command.ts'

type Range = { readonly after: number; readonly limit: number; readonly print: (line: string) => void }

/** Prints the events of a data folder up to `head`. Without a head it first checks the journal. */
export async function printFolder(
  data: string,
  { head, ...range }: Range & { readonly head?: JournalPosition | undefined },
): Promise<void> {
  const folder = mainPaths(data).journal
  const { damage, head: sound } = head ? { head, damage: undefined } : await verifyJournal(folder)
  const reader = new JournalReader(folder)
  try {
    await printEvents((after, to) => reader.read(after, to), sound.seq, range)
  } finally {
    await reader.close()
  }
  if (damage) throw new JournalDamaged(damage)
}

/** Prints the events of main in PostgreSQL. */
export async function printPostgres(url: string, range: Range): Promise<void> {
  await withConnection(url, async (connection) => {
    const { rows } = await connection.query('SELECT seq FROM quipu_journals WHERE world = $1', ['main'])
    if (rows.length === 0) throw new CommandFailed(`${addressOf(url)} has no world main: check QUIPU_STORE`)
    await printEvents((after, to) => readEvents(connection, 'main', after, to), Number(rows[0].seq), range)
  })
}

async function printEvents(
  read: (after: number, to: number) => AsyncIterable<readonly Entry[]>,
  end: number,
  { after, limit, print }: Range,
): Promise<void> {
  let number = after
  for await (const entries of read(after, Math.min(end, after + limit)))
    for (const entry of entries) print(JSON.stringify(eventToWire(numberedEntry(++number, entry))))
}
