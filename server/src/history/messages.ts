import type { JournalSource } from '@quipu/broker/journal/journal.ts'
import type { MarketInputs } from '@quipu/broker/market/market-inputs.ts'
import type { WorldId } from '@quipu/core'
import type { JournalPage, JournalQuery } from './journal-page.ts'
import type { PageQuery } from './page.ts'
import type { WhatIfQuery } from './what-if.ts'

/** The data of a thread that reads history. */
export type HistoryThreadData = {
  /** The folder of imported data, if the server has one. */
  readonly folder?: string | undefined
}

export type ReadMarket = {
  readonly kind: 'market'
  readonly world: WorldId
  /** Sent with the first page of a world, and with the first page after a change of its market. */
  readonly market?: MarketInputs
  readonly query: PageQuery | WhatIfQuery
}

export type ReadJournal = {
  readonly kind: 'journal'
  readonly source: JournalSource
  /** The last durable event. */
  readonly head: number
  readonly query: JournalQuery
}

export type ToHistoryThread =
  | {
      readonly kind: 'read'
      readonly id: number
      /** Requests with the same name share their turns. */
      readonly name: string
      readonly order: ReadMarket | ReadJournal
    }
  /** The client of a page has disconnected. */
  | { readonly kind: 'stop'; readonly id: number }
  /** The thread needs the market of this world no longer. */
  | { readonly kind: 'forget'; readonly world: WorldId }

/** A page of market history is only bytes. */
export type ReadPage = Uint8Array<ArrayBuffer> | JournalPage

export type FromHistoryThread =
  | { readonly kind: 'ready' }
  | { readonly kind: 'page'; readonly id: number; readonly page: ReadPage }
  | { readonly kind: 'failed'; readonly id: number }
