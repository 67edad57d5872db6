import type { World } from '@quipu/broker/world/world.ts'
import type { OperationName } from '@quipu/contract'
import { refuse } from '../../wire/refusal.ts'
import type { Context } from '../context.ts'
import { ISSUER_WAIT_MS, isUndecided, verdictOn } from './mint.ts'
import { findEndedRequest } from './request-history.ts'

/** The operations whose key cannot be used again once their request is rejected. */
const ofRequests: ReadonlySet<string> = new Set<OperationName>([
  'postTokenizationMint',
  'postTokenizationMintBroker',
  'createWorldMint',
  'postTokenizationRedeem',
  'postTokenizationRedeemAlias',
  'simulateRedemption',
])

/** Refuses to repeat the response to a mint or redeem that was rejected since. A mint waits for the decision, like the first. */
export async function checkReplay(
  context: Context,
  world: World,
  operation: string,
  response: string,
): Promise<void> {
  if (!ofRequests.has(operation)) return
  const requestId = JSON.parse(response).tokenization_request_id
  const { request, verdict } = await context.state.read(world, ({ requests }) => {
    const request = requests.get(requestId)
    const isAsked = request?.kind === 'mint' && isUndecided(request)
    return { request, verdict: isAsked ? verdictOn(world, requestId, ISSUER_WAIT_MS) : undefined }
  })
  const { refusal } = (await verdict) ?? {}
  const { status } = request ?? (await findEndedRequest(world, requestId)) ?? {}
  if (refusal !== undefined || status === 'rejected') throw refuse({ code: 'idempotencyKeyOfRejected' })
}
