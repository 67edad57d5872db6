import type { World } from '../../../world/world.ts'
import { type PageQuery, readPage } from './page.ts'

/** Reads pages of market history. */
export type HistoryReader = {
  /** The bytes of a page of a world. */
  read(world: World, query: PageQuery): Promise<Uint8Array>
}

/** Reads pages on the thread of the caller. */
export const localReader: HistoryReader = {
  read: (world, query) => readPage({ market: world.market, actions: world.view.actions }, query),
}
