import type { JSX } from 'preact'
import { Card } from '../../parts/card.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Shown } from '../../parts/shown.tsx'
import { bytesText, countText } from './metrics.ts'
import { type Store, store } from './readings.ts'

const places = {
  memory: 'Memory',
  files: 'Files of the data folder',
  postgres: 'PostgreSQL',
} as const

/** How much storage the world uses. */
export const StoreCard = (): JSX.Element => (
  <Card title="Storage">
    <Shown of={store} what="the storage">
      {(state) => (
        <div class="body stack">
          <Sizes of={state} />
          {state.stored_in === 'memory' && (
            <div class="note">
              <Icon name="warning" />
              <b>Not durable</b>
              <p>A restart of the server deletes this world.</p>
            </div>
          )}
        </div>
      )}
    </Shown>
  </Card>
)

function Sizes({ of }: { readonly of: Store }): JSX.Element {
  const parts = [
    ['Journal', of.journal_bytes],
    ['Query tables', of.query_tables_bytes],
    ['Snapshots', of.snapshots_bytes],
  ] as const
  const total = parts.reduce((sum, [, bytes]) => sum + (bytes ?? 0), 0)
  return (
    <dl class="pairs">
      <dt>Stored in</dt>
      <dd>{places[of.stored_in]}</dd>
      <dt>Events</dt>
      <dd>{countText(of.seq)}</dd>
      {parts.map(
        ([name, bytes]) =>
          bytes !== undefined && (
            <>
              <dt key={name}>{name}</dt>
              <dd>{bytesText(bytes)}</dd>
            </>
          ),
      )}
      {total > 0 && (
        <>
          <dt class="total">Total</dt>
          <dd class="total">{bytesText(total)}</dd>
        </>
      )}
      {of.disk_free_bytes !== undefined && (
        <>
          <dt>Free disk</dt>
          <dd>{bytesText(of.disk_free_bytes)}</dd>
        </>
      )}
    </dl>
  )
}
