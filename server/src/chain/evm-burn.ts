import { type Instant, pauseAfter, type TransferFact, tokensOf } from '@quipu/core'
import type { ChainWorld, EvmBook } from './evm-book.ts'
import { callOf } from './evm-calls.ts'
import { type EvmParts, isUsed } from './evm-mint.ts'
import { unitsOf } from './evm-tokens.ts'

const PROBLEM_MAX = 200

/** Tokens whose shares have moved are no more. One that fails is put off, and holds up no other. */
export async function burnAll(parts: EvmParts, world: ChainWorld, book: EvmBook): Promise<void> {
  const { block } = book.seen!
  // Until its block counts as seen, it may be looked at again, and must then be found here.
  for (const [name, transfer] of book.transfers()) {
    if (!transfer.redeem || transfer.block > block || (transfer.burn?.due ?? 0n) > world.now) continue
    await burnOne(parts, world, book, [name, transfer]).catch((error: Error) =>
      book.note([name, { ...transfer, burn: failed(transfer, world.now, error.message) }]),
    )
  }
}

function failed({ burn, redeem }: TransferFact, now: Instant, problem: string) {
  const attempts = (burn?.attempts ?? 0) + 1
  const due = (now + pauseAfter(attempts, redeem!.requestId)) as Instant
  return { attempts, due, problem: problem.slice(0, PROBLEM_MAX) }
}

async function burnOne(
  parts: EvmParts,
  world: ChainWorld,
  book: EvmBook,
  [name, transfer]: readonly [string, TransferFact],
): Promise<void> {
  const { redeem, burn: _, ...rest } = transfer
  const { accountId, requestId } = redeem!
  const request = world.view.requests.get(requestId) ?? (await world.views.request(accountId, requestId))
  if (request?.status === 'rejected')
    return book.note([name, { ...rest, trouble: `the redeem was rejected: ${request.reason ?? ''}` }])
  const token = book.token(transfer.symbol ?? '')
  if (request?.status !== 'completed' || !token) return
  const about = `burn/${requestId}`
  const id = { bytes32: book.idOf(requestId) }
  if (token.ours && !(await isUsed(parts, token, id.bytes32))) {
    const data = callOf('burn(uint256,bytes32)', [{ number: unitsOf(tokensOf(request), token) }, id])
    if (!(await parts.sender.attempt(book, about, { to: token.address, data }))) return
  }
  await book.note([name, null], [book.names.sent(about), null])
}
