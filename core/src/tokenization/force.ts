import type { Deciders } from '../handlers.ts'
import { fail, ok } from '../result.ts'
import type { View } from '../state/state.ts'
import type { Instant } from '../time.ts'
import type { RequestEvent } from './events.ts'
import {
  completed,
  custodyFor,
  issuerOf,
  rejected,
  tokenRequestFields,
  transferred,
} from './issuer-response.ts'
import { hasMoved, isPending } from './moves.ts'
import { settled } from './redeem.ts'
import type { TokenizationRequest } from './request.ts'

export type ForceRefusal =
  | { readonly code: 'tokenizationRequestNotFound' }
  | { readonly code: 'tokenizationRequestEnded' }

export const forceDeciders = {
  /** An operator completes, rejects, holds or releases a request. */
  forceRequest(view, { at }, { requestId, outcome }) {
    const request = view.requests.get(requestId)
    if (!request) return fail({ code: 'tokenizationRequestNotFound' })
    if (!isPending(request)) return fail({ code: 'tokenizationRequestEnded' })
    switch (outcome.to) {
      case 'hold':
        return ok(request.held ? [] : [{ kind: 'requestHeld', ...tokenRequestFields(request, at) }])
      case 'release':
        return ok(request.held ? [{ kind: 'requestReleased', ...tokenRequestFields(request, at) }] : [])
      case 'reject':
        return ok([
          request.kind === 'redeem'
            ? { kind: 'redeemRejected', ...tokenRequestFields(request, at), reason: outcome.reason }
            : rejected(view, request, at, outcome.reason, true),
        ])
      case 'complete':
        return ok(
          request.kind === 'redeem'
            ? [settled(view, request, at)]
            : remainingSteps(view, request, at, outcome.txHash),
        )
    }
  },

  /**
   * Submitted by the world's clock when the issuer has not accepted in time. Late tokens do not end a request.
   */
  giveUpRequest(view, { at }, { requestId }) {
    const request = view.requests.get(requestId)
    if (!request || request.deadline === undefined || request.deadline > at || !isPending(request))
      return ok([])
    return ok([rejected(view, request, at, 'the issuer did not answer in time', true)])
  },
} satisfies Deciders<ForceRefusal>

/** The remaining steps of a mint in one decision, without asking the issuer. */
function remainingSteps(
  view: View,
  request: TokenizationRequest,
  at: Instant,
  txHash: string,
): RequestEvent[] {
  if (hasMoved(request)) return [completed(request, at, txHash)]
  const issuer = issuerOf(view, request)
  const to = custodyFor(issuer, request, at) ?? issuer.accountId
  const issuerRequestId = request.issuerRequestId ?? request.id
  const accepted = { kind: 'mintAccepted', ...tokenRequestFields(request, at), issuerRequestId } as const
  const rest = [transferred(view, request, at, to), completed(request, at, txHash)]
  return request.status === 'issuerAccepted' ? rest : [accepted, ...rest]
}
