import type { Journal } from '@quipu/broker/journal/journal.ts'
import type { WorldActions } from '@quipu/broker/market/market-inputs.ts'
import type { MarketSource } from '@quipu/broker/market/market-source.ts'
import type { WorldId } from '@quipu/core'
import { type JournalPage, type JournalQuery, readJournalPage } from './journal-page.ts'
import { type PageQuery, readPage } from './page.ts'
import { readWhatIf, type WhatIfQuery } from './what-if.ts'

/** The parts of a world that its history depends on. */
export type ReadWorld = {
  readonly id: WorldId
  readonly market: MarketSource
  readonly view: Pick<WorldActions, 'actions'>
}

/** Reads pages of market history and of journals. */
export type HistoryReader = {
  /** The bytes of one page; they share no memory with others. */
  read(world: ReadWorld, query: PageQuery): Promise<Uint8Array<ArrayBuffer>>
  /** The bytes of the fills that an order would have had. */
  readWhatIf(world: ReadWorld, query: WhatIfQuery): Promise<Uint8Array<ArrayBuffer>>
  readJournal(journal: Journal, query: JournalQuery): Promise<JournalPage>
  close(): Promise<void>
}

/** Reads pages on the thread of the caller. */
export const localReader: HistoryReader = {
  read: ({ market, view }, query) => readPage({ market, actions: view.actions }, query),
  readWhatIf,
  readJournal: readJournalPage,
  close: async () => undefined,
}
