import type { JSX } from 'preact'
import { dayText } from '../../format/times.ts'
import { Card } from '../../parts/card.tsx'
import { Id } from '../../parts/copy.tsx'
import { ask } from '../../parts/question.tsx'
import { Shown } from '../../parts/shown.tsx'
import { Empty } from '../../parts/states.tsx'
import { actingOperator } from '../../session/connections.ts'
import { act } from './act.ts'
import { Scopes } from './grants-card.tsx'
import { type App, apps, grants, inHeader } from './readings.ts'

/** The registered apps of the world. */
export function AppsCard(): JSX.Element {
  return (
    <Card title="Registered apps">
      <Shown of={apps} what="the apps">
        {(list) =>
          list.length === 0 ? (
            <Empty icon="token" title="No registered apps">
              <code>quipu app create</code> or <code>POST /v1/oauth/clients</code> registers one.
            </Empty>
          ) : (
            <div class="scroll">
              <table>
                <thead>
                  <tr>
                    <th>App</th>
                    <th>Client id</th>
                    <th class="wide-only">May ask for</th>
                    <th class="wide-only">Created</th>
                    <th>Status</th>
                    <th>
                      <span class="hidden-text">Actions</span>
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {list.map((app) => (
                    <Row key={app.client_id} of={app} />
                  ))}
                </tbody>
              </table>
            </div>
          )
        }
      </Shown>
    </Card>
  )
}

function Row({ of }: { readonly of: App }): JSX.Element {
  const isActive = of.status === 'ACTIVE'
  return (
    <tr data-row tabIndex={-1}>
      <td class="cut" title={of.redirect_uri.join(' ')}>
        <b>{of.name}</b>
      </td>
      <td>
        <Id value={of.client_id} />
      </td>
      <td class="wide-only">
        <Scopes text={of.scopes.join(' ')} />
      </td>
      <td class="wide-only faint">{dayText(of.created_at)}</td>
      <td>
        <span class={`status ${isActive ? 'filled' : 'ended'}`} title={of.status}>
          {isActive ? 'Active' : 'Disabled'}
        </span>
      </td>
      <td class="r">
        <button
          data-changes
          type="button"
          class={`button small ${isActive ? 'wrong' : ''}`}
          data-end
          onClick={() => void (isActive ? disable(of) : setStatus(of, 'ACTIVE'))}
        >
          {isActive ? 'Disable' : 'Enable'}
          <span class="hidden-text"> {of.name}</span>
        </button>
      </td>
    </tr>
  )
}

async function disable(app: App): Promise<void> {
  const count = (grants.value.peek() ?? []).filter(({ client_id: id }) => id === app.client_id).length
  const isSure = await ask({
    title: `Disable ${app.name}?`,
    effect: `No token of the app is issued or accepted until you enable it again. ${
      count === 1 ? 'One consent stays' : `${count} consents stay`
    }, but cannot be used meanwhile.`,
    keep: 'Keep it active',
    confirm: `Disable ${app.name}`,
  })
  if (isSure) await setStatus(app, 'DISABLED')
}

const setStatus = (app: App, status: App['status']): Promise<void> =>
  act(
    () =>
      actingOperator().client.updateOAuthClient({
        params: { client_id: app.client_id },
        body: { status },
        ...inHeader(),
      } as never),
    apps,
  )
