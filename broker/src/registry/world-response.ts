import {
  BOOK_TRANSFERS,
  type BookTransferResponse,
  definedFields,
  found,
  type LedgerId,
  responseTo,
} from '@quipu/core'
import { MAIN_LEDGER, type WorldRequest } from './ask-world.ts'
import { MAIN, type WorldEntry } from './world-entry.ts'

const NOT_FOUND: BookTransferResponse = { ok: false, reason: 'world not found' }

/** The response of a world in this process; undefined stands for a world that does not exist. */
export async function responseOf(
  entry: WorldEntry | undefined,
  { partnerId, ...request }: WorldRequest,
): Promise<BookTransferResponse> {
  if (!entry) return NOT_FOUND
  const { world } = entry
  const isMain = world.id === MAIN
  if (!isMain && entry.partner !== partnerId) return NOT_FOUND
  const ledgerId = ledgerOf(entry)
  if (!ledgerId) return { ok: false, reason: 'world is not durable' }
  const { transitId } = request
  const { value } = await world.storage.withArchived(
    (queryTables) => queryTables.callByKey(BOOK_TRANSFERS, transitId),
    (earlier) =>
      world.commands.submit(
        {
          kind: 'receiveBookTransfer',
          ...request,
          ledgerId,
          ...(isMain ? { partnerId } : {}),
          ...definedFields({ earlier }),
        },
        (view) => found(responseTo(view, transitId, earlier), 'the response'),
      ),
  )
  return value
}

/** The ledger of a durable world. */
export const ledgerOf = ({ world, durable, storage }: WorldEntry): LedgerId | undefined =>
  world.id === MAIN && durable ? MAIN_LEDGER : storage?.identity.ledgerId
