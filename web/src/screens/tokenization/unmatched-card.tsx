import type { Output } from '@quipu/sdk'
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { nearText } from '../../format/times.ts'
import { nowMs } from '../../live/clock.ts'
import { Card } from '../../parts/card.tsx'
import { Copy } from '../../parts/copy.tsx'
import { Shown } from '../../parts/shown.tsx'
import { SmallForm } from '../../parts/small-form.tsx'
import { actingOperator } from '../../session/connections.ts'
import { worldName } from '../../session/selection.ts'
import { unmatched } from './live-requests.ts'

type Transfer = Output<'listUnmatchedTransfers'>[number]

/** Tokens on a redemption wallet that belong to no known account. */
export const UnmatchedCard = (): JSX.Element => (
  <Card title="Unmatched transfers">
    <Shown of={unmatched} what="the unmatched transfers" rows={1}>
      {(all) =>
        all.length === 0 ? (
          <div class="empty plain">
            <b>None</b>
            <p>Tokens that reach a redemption wallet without a known sender appear here.</p>
          </div>
        ) : (
          <ul class="body stack">
            {all.map((transfer) => (
              <Unmatched
                key={`${transfer.network} ${transfer.tx_hash} ${transfer.log_index}`}
                of={transfer}
              />
            ))}
          </ul>
        )
      }
    </Shown>
  </Card>
)

function Unmatched({ of }: { readonly of: Transfer }): JSX.Element {
  const [isOpen, setOpen] = useState(false)
  const { network, tx_hash, log_index } = of
  const resolve = async (note: string) => {
    await actingOperator().client.resolveUnmatchedTransfer({
      params: { world: worldName.peek(), network, tx_hash, log_index },
      body: { note },
    })
    await unmatched.read()
  }
  return (
    <li class="unmatched">
      <p>
        <b>{of.token_symbol ?? 'Unknown token'}</b>{' '}
        <span class="faint">
          {of.units} units on {network}
        </span>
        <span class="faint"> {nearText(of.observed_at, nowMs.value ?? Date.now())}</span>
      </p>
      <p class="soft small">{of.problem}</p>
      <Copy text={tx_hash} class="link mono id">
        {tx_hash.slice(0, 12)}
      </Copy>
      {isOpen ? (
        <SmallForm
          title="Resolve the transfer"
          about="Closes the review. Neither tokens nor shares move."
          fields={[{ name: 'note', label: 'Result of the review', isRequired: true, isWide: true }]}
          start={{ note: '' }}
          submit="Resolve the transfer"
          send={({ note = '' }) => resolve(note)}
          close={() => setOpen(false)}
        />
      ) : (
        <button data-changes type="button" class="button small" onClick={() => setOpen(true)}>
          Resolve …
        </button>
      )}
    </li>
  )
}
