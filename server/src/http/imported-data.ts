import type { Handlers, OutputOf } from '@quipu/contract'
import { formatInstant } from '@quipu/core'
import type { Library } from '../market/library.ts'
import type { Series } from '../market/store/index.ts'
import type { Worlds } from '../worlds.ts'
import type { Context } from './context.ts'

/** Where nothing is kept, nothing is imported. */
export const importedDataHandlers = (
  worlds: Worlds,
  library: Library | undefined,
): Pick<Handlers<Context>, 'listData' | 'refreshData'> => {
  const listed = () => (library?.store.list() ?? []).map(seriesToWire)
  return {
    listData: listed,
    refreshData: () => {
      library?.changed()
      for (const { world } of worlds.places()) world.marketChanged()
      return listed()
    },
  }
}

const seriesToWire = ({
  symbol,
  kind,
  frame,
  rows,
  bytes,
  first,
  last,
}: Series): OutputOf<'listData'>[number] => ({
  symbol,
  kind,
  ...(frame !== undefined && { frame }),
  rows,
  bytes,
  first: formatInstant(first),
  last: formatInstant(last),
})
