import type { Output } from '@quipu/sdk'
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { dayText } from '../../format/times.ts'
import { Card } from '../../parts/card.tsx'
import { Copy } from '../../parts/copy.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Problem } from '../../parts/problem.tsx'
import { ask } from '../../parts/question.tsx'
import { Shown } from '../../parts/shown.tsx'
import { Empty } from '../../parts/states.tsx'
import { actingOperator } from '../../session/connections.ts'
import { act } from './act.ts'
import { inPath, isViewer, type ListedUser, people } from './readings.ts'
import { Sessions } from './sessions.tsx'

type Link = Output<'createSignInLink'>

/** The people who sign in. */
export function PeopleCard(): JSX.Element {
  const [opened, setOpened] = useState<string>()
  return (
    <Card title="People">
      <Shown of={people} what="the people">
        {(list) =>
          list.length === 0 ? (
            <Empty icon="key" title="Nobody can sign in to this world">
              Create a person with the form “New person”.
            </Empty>
          ) : (
            <div class="scroll">
              <table>
                <thead>
                  <tr>
                    <th>Name</th>
                    <th class="wide-only">Accounts</th>
                    <th class="wide-only">Since</th>
                    <th>Status</th>
                    <th class="r">Sessions</th>
                  </tr>
                </thead>
                <tbody>
                  {list.map((person) => (
                    <Rows
                      key={person.user_id}
                      of={person}
                      isOpen={opened === person.user_id}
                      toggle={() => setOpened(opened === person.user_id ? undefined : person.user_id)}
                    />
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

type RowsProps = { readonly of: ListedUser; readonly isOpen: boolean; readonly toggle: () => void }

function Rows({ of, isOpen, toggle }: RowsProps): JSX.Element {
  return (
    <>
      <tr data-row tabIndex={-1} class={isOpen ? 'selected' : ''}>
        <td>
          <button type="button" class="link" aria-expanded={isOpen} onClick={toggle}>
            <b>{of.name}</b>
          </button>
          {of.operator && <span class="chip warn person-chip">Operator</span>}
          {of.auditor && <span class="chip person-chip">Auditor</span>}
          {of.second_factors.length > 0 && <span class="chip person-chip">Second factor</span>}
        </td>
        <td class="wide-only cut">
          {of.accounts.map(({ account_number: number }) => number).join(', ') || (
            <span class="faint">None</span>
          )}
        </td>
        <td class="wide-only faint">{dayText(of.created_at)}</td>
        <td>
          <span class={`status ${of.disabled ? 'ended' : 'filled'}`}>
            {of.disabled ? 'Disabled' : 'Active'}
          </span>
        </td>
        <td class="r">
          <button
            type="button"
            class="button small"
            aria-expanded={isOpen}
            aria-label={`${of.sessions} sessions of ${of.name}`}
            onClick={toggle}
          >
            {of.sessions} <Icon name="down" />
          </button>
        </td>
      </tr>
      {isOpen && (
        <tr class="person-detail">
          <td colSpan={5}>
            <Detail of={of} />
          </td>
        </tr>
      )}
    </>
  )
}

function Detail({ of }: { readonly of: ListedUser }): JSX.Element {
  const [link, setLink] = useState<Link>()
  const [problem, setProblem] = useState<Error>()
  const params = { ...inPath().params, user: of.user_id }
  const makeLink = () =>
    actingOperator()
      .client.createSignInLink({ params, body: {} as never })
      .then(setLink, setProblem)
  return (
    <div class="stack">
      <div class="person-actions">
        <button
          data-changes
          type="button"
          class="button small"
          disabled={of.disabled}
          onClick={() => void makeLink()}
        >
          Create sign-in link
        </button>
        <button
          data-changes
          type="button"
          class={`button small ${of.disabled ? '' : 'wrong'}`}
          onClick={() => void (of.disabled ? setDisabled(of, false) : disable(of))}
        >
          {of.disabled ? `Enable ${of.name}` : `Disable ${of.name}`}
        </button>
      </div>
      {problem && <Problem title="The link was not created" error={problem} />}
      {link && (
        <div class="note tint" role="status">
          <Icon name="key" />
          <b>A link for {of.name}</b>
          <p>Signs in once, within one hour. It is shown only now.</p>
          <div class="actions">
            <code class="cut-text">{link.url}</code>
            <Copy text={link.url} class="button small main" />
          </div>
        </div>
      )}
      <Sessions of={of} />
    </div>
  )
}

async function disable(person: ListedUser): Promise<void> {
  const { name, sessions, accounts } = person
  const isSure = await ask({
    title: `Disable ${name}?`,
    effect: `${name} cannot sign in until you enable the person again. ${sessions} ${
      sessions === 1 ? 'session ends' : 'sessions end'
    } at once, and no app may act for ${name}. ${accounts.length} ${
      accounts.length === 1 ? 'account' : 'accounts'
    }, keys and orders stay.${isViewer(person) ? ' This is you: you will be signed out.' : ''}`,
    keep: `Keep ${name} active`,
    confirm: `Disable ${name}`,
  })
  if (isSure) await setDisabled(person, true)
}

const setDisabled = (person: ListedUser, disabled: boolean): Promise<void> =>
  act(
    () =>
      actingOperator().client.changeUser({
        params: { ...inPath().params, user: person.user_id },
        body: { disabled },
      }),
    people,
  )
