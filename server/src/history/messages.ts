import type { WorldId } from '@quipu/core'
import type { MarketInputs } from '../market/market-inputs.ts'
import type { PageQuery } from './page.ts'

/** The data of a thread that reads history. */
export type HistoryThreadData = {
  /** The folder of imported data, if the server has one. */
  readonly folder?: string | undefined
}

export type ToHistoryThread =
  | {
      readonly kind: 'read'
      readonly id: number
      /** Requests with the same name share their turns. */
      readonly name: string
      readonly world: WorldId
      /** Sent with the first page of a world, and with the first page after a change of its market. */
      readonly market?: MarketInputs
      readonly query: PageQuery
    }
  /** The client of a page has disconnected. */
  | { readonly kind: 'stop'; readonly id: number }
  /** The thread needs the market of this world no longer. */
  | { readonly kind: 'forget'; readonly world: WorldId }

export type FromHistoryThread =
  | { readonly kind: 'ready' }
  | { readonly kind: 'page'; readonly id: number; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly kind: 'failed'; readonly id: number }
