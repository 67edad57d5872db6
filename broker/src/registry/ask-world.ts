import type {
  BookTransfer,
  BookTransferRequest,
  BookTransferResponse,
  LedgerId,
  PartnerId,
  WorldId,
} from '@quipu/core'
import { definedFields, found } from '@quipu/core/values'
import { callForJob, type RunJob } from '../world/jobs.ts'
import type { World } from '../world/world.ts'

/** A book transfer by a partner in `main` that another world should receive. */
export type WorldRequest = BookTransferRequest & { readonly partnerId: PartnerId }

/**
 * Asks another world to receive a book transfer. It resolves when the response is durable there, and the same request gets the
 * same response. It rejects if the world does not answer now. Worlds share nothing else, so they may run on two machines.
 */
export type AskWorld = (world: WorldId, request: WorldRequest) => Promise<BookTransferResponse>

/** How worlds of this process ask others. */
export type WithAsk = { readonly askWorld: AskWorld }

/** The ledger of `main`, which is never reset. */
export const MAIN_LEDGER = 'main' as LedgerId

/** What a book transfer to another world needs of its sender's world: the ledger, and the partner of `main` that it belongs to. */
export type Sender = {
  readonly ledgerId: LedgerId
  readonly partnerOf: (bookTransfer: BookTransfer) => PartnerId | undefined
}

/** Each account of `main` belongs to its partner. */
export const mainSender: Sender = { ledgerId: MAIN_LEDGER, partnerOf: ({ partnerId }) => partnerId }

/**
 * Runs the jobs of a world with those that ask other worlds. A copy of a world has the pending book transfers of the original,
 * but another ledger. It asks nobody: the money or shares return to the sender in the copy.
 */
export const withJournals =
  (run: RunJob, ask: AskWorld, sender: Sender | undefined): RunJob =>
  (world, jobId) => {
    const bookTransfer = world.status.isUp ? world.view.jobs.get(jobId)?.bookTransfer : undefined
    if (!bookTransfer) return run(world, jobId)
    return callForJob(world, jobId, async () => {
      const response = await responseFor(world, bookTransfer, ask, sender)
      return { kind: 'answerBookTransfer', bookTransferId: bookTransfer.id, response }
    })
  }

async function responseFor(
  world: World,
  bookTransfer: BookTransfer,
  ask: AskWorld,
  sender: Sender | undefined,
): Promise<BookTransferResponse> {
  const { toWorld, from, to, what, description } = bookTransfer
  const transitId = found(bookTransfer.transitId, 'the transit id')
  if (!sender || !transitId.startsWith(`${sender.ledgerId}/`))
    return { ok: false, reason: 'a copy of a world does not ask other worlds' }
  return ask(found(toWorld, 'the other world'), {
    transitId,
    partnerId: found(sender.partnerOf(bookTransfer), 'the partner'),
    fromWorld: world.id,
    from,
    to,
    what,
    ...definedFields({ description }),
  })
}
