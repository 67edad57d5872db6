import type { JSX } from 'preact'
import { calm, useReadings } from '../../live/reading.ts'
import { Card } from '../../parts/card.tsx'
import { Icon } from '../../parts/icon.tsx'
import { useRowKeys } from '../../parts/row-keys.ts'
import { Empty, NotAllowed } from '../../parts/states.tsx'
import { account, api, worldName } from '../../session/selection.ts'
import { isOperator, session } from '../../session/session.ts'
import { AppsCard } from './apps-card.tsx'
import { CustomersCard } from './customers-card.tsx'
import { GrantsCard } from './grants-card.tsx'
import { KeysCard } from './keys-card.tsx'
import './keys.css'
import { useEffect } from 'preact/hooks'
import { repeat } from '../../live/repeat.ts'
import type { Connection } from '../../session/connections.ts'
import { NewKey } from './new-key.tsx'
import { NewPerson } from './new-person.tsx'
import { PeopleCard } from './people-card.tsx'
import { keys, readings } from './readings.ts'

/** Everything that can act for an account: keys, apps and people. */
export default function Keys(): JSX.Element {
  return (
    <>
      <div class="page-head">
        <h1>Apps and keys</h1>
        {isOperator.value && <span class="chip">world {worldName.value}</span>}
      </div>
      {isOperator.value ? <OfOperator /> : <OfPerson />}
    </>
  )
}

function OfOperator(): JSX.Element {
  useReadings(readings)
  useRowKeys('Apps and keys')
  return (
    <div class="cols">
      <div class="stack">
        <KeysCard />
        <GrantsCard />
        <AppsCard />
        <PeopleCard />
        <CustomersCard />
      </div>
      <aside data-changes class="stack" aria-label="Create">
        <NewKey />
        <NewPerson />
        <OwnApps />
      </aside>
    </div>
  )
}

/** A person without operator rights: the keys of the chosen account. The own apps have a page that needs no token. */
function OfPerson(): JSX.Element {
  useAccountKeys()
  useRowKeys('Apps and keys')
  return (
    <div class="cols">
      <div class="stack">
        {account.value ? (
          <KeysCard />
        ) : (
          <Card title="API keys">
            <Empty icon="key" title="You have no account in this world">
              A key acts for an account. An operator can give you one.
            </Empty>
          </Card>
        )}
        <Card title="Your apps">
          <Empty
            icon="plug"
            title="Apps that may act for you"
            actions={
              <a class="button main" href="oauth/apps">
                Manage your apps <Icon name="external" />
              </a>
            }
          >
            See what each app may do, with which accounts, since when, and withdraw it.
          </Empty>
        </Card>
        {session.value?.operator === true && (
          <Card title="All keys, apps and people">
            <NotAllowed name={session.value.name} canRaise />
          </Card>
        )}
      </div>
      {account.value && (
        <aside data-changes class="stack" aria-label="Create">
          <NewKey />
        </aside>
      )}
    </div>
  )
}

const OwnApps = (): JSX.Element => (
  <div class="note">
    <Icon name="plug" />
    <b>Your own apps</b>
    <p>
      The page{' '}
      <a class="link" href="oauth/apps">
        Your apps
      </a>{' '}
      shows the apps that you allowed, without operator rights.
    </p>
  </div>
)

/** Reads the keys of the chosen account: at the start, when the viewer returns, and after each event of the account. */
function useAccountKeys(): void {
  const connection = api.value
  useEffect(() => {
    keys.clear()
    if (!connection) return undefined
    const closing = new AbortController()
    const read = () => void keys.read()
    read()
    addEventListener('focus', read, { signal: closing.signal })
    followEvents(connection, closing.signal, calm(read, closing.signal))
    return () => closing.abort()
  }, [connection])
}

/** Keys are created, revoked and used with events of the account; a use that only reads has none. */
function followEvents({ client, events }: Connection, signal: AbortSignal, changed: () => void): void {
  const params = { world: worldName.peek() }
  let isFirst = true
  void repeat(signal, async () => {
    const { events: last } = await client.listEvents({ params, query: { last: 1 } } as never, { signal })
    // After a restart of the server.
    if (!isFirst) changed()
    isFirst = false
    const query = { cursor: String(last.at(-1)?.number ?? 0) }
    for await (const _ of events.listEvents({ params, query } as never, { signal })) changed()
  })
}
