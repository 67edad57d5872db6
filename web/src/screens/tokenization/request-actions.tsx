import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { quantityText } from '../../format/amounts.ts'
import { Problem } from '../../parts/problem.tsx'
import { ask } from '../../parts/question.tsx'
import { actingOperator } from '../../session/connections.ts'
import { worldName } from '../../session/selection.ts'
import { readAll } from './live-requests.ts'
import type { Request } from './request-steps.ts'

/** What an operator can do with a request that has not ended. */
export function RequestActions({ request }: { readonly request: Request }): JSX.Element {
  const [problem, setProblem] = useState<Error>()
  const [isSending, setSending] = useState(false)
  const params = { world: worldName.value, tokenization_request_id: request.tokenization_request_id }
  const { client } = actingOperator()
  const act = async (run: () => Promise<unknown>) => {
    setSending(true)
    setProblem(undefined)
    await run().catch(setProblem)
    setSending(false)
    readAll()
  }
  const reject = async () => {
    if (await askReject(request)) await act(() => client.rejectRequest({ params, body: {} }))
  }
  return (
    <>
      <div class="request-actions">
        <button
          data-changes
          type="button"
          class="button small"
          disabled={isSending}
          onClick={() =>
            void act(() =>
              request.isHeld ? client.releaseRequest({ params }) : client.holdRequest({ params }),
            )
          }
        >
          {request.isHeld ? 'Release' : 'Hold'}
        </button>
        <button
          data-changes
          type="button"
          class="button small"
          disabled={isSending}
          onClick={() => void act(() => client.completeRequest({ params, body: {} }))}
        >
          Complete now
        </button>
        <button
          data-changes
          type="button"
          class="button small wrong"
          disabled={isSending}
          onClick={() => void reject()}
        >
          Reject
        </button>
      </div>
      {problem && <Problem title="The request did not change" error={problem} />}
    </>
  )
}

const askReject = ({ type, qty, underlying_symbol: symbol }: Request): Promise<boolean> =>
  ask({
    title: `Reject this ${type}?`,
    effect: `The request ends. ${
      type === 'mint'
        ? `${quantityText(qty)} ${symbol} return to the account.`
        : `The shares stay with the issuer.`
    }`,
    keep: 'Keep it',
    confirm: `Reject the ${type}`,
  })
