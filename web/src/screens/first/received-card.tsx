import type { LoggedRequest } from '@quipu/sdk'
import type { JSX } from 'preact'
import { askedFor } from '../../format/request-sentence.ts'
import { secondText } from '../../format/times.ts'
import { Card } from '../../parts/card.tsx'
import { Empty, Loading } from '../../parts/states.tsx'
import { hrefOf } from '../../router.ts'
import { homeWorld, programRequests } from './steps-state.ts'

/** The requests of programs, as they come. */
export function ReceivedCard(): JSX.Element {
  const requests = programRequests.value
  const keys = new Set(requests?.map(({ key_id: key }) => key)).size
  return (
    <Card
      title="What your server receives"
      beside={
        requests !== undefined && (
          <span class={`chip right ${keys > 0 ? 'up' : ''}`}>
            <span class={`dot ${keys > 0 ? '' : 'off'}`} /> {keysText(keys)}
          </span>
        )
      }
    >
      {requests === undefined ? (
        <Loading rows={3} />
      ) : requests.length === 0 ? (
        <Empty icon="pulse" title="Requests of your bot appear here">
          One line each, in words: “Buy 10 SPY”.
        </Empty>
      ) : (
        <table>
          <thead class="hidden-text">
            <tr>
              <th>Time</th>
              <th>Request</th>
              <th>Status</th>
            </tr>
          </thead>
          <tbody>
            {requests.map((request) => (
              <Row key={request.number} request={request} />
            ))}
          </tbody>
        </table>
      )}
    </Card>
  )
}

const keysText = (count: number): string =>
  count === 0 ? 'no program yet' : count === 1 ? '1 program' : `${count} programs`

const Row = ({ request }: { readonly request: LoggedRequest }): JSX.Element => (
  <tr>
    <td class="mono faint">{secondText(request.at)}</td>
    <td class="cut">
      <a class="link" href={hrefOf('activity', request.request_id, { world: homeWorld.value })}>
        {askedFor(request, undefined)}
      </a>
    </td>
    <td class="r mono">{request.status ?? '–'}</td>
  </tr>
)
