import type { JSX } from 'preact'
import { useEffect, useMemo } from 'preact/hooks'
import { nearText } from '../../format/times.ts'
import { reading } from '../../live/reading.ts'
import { ask } from '../../parts/question.tsx'
import { Shown } from '../../parts/shown.tsx'
import { actingOperator, operator } from '../../session/connections.ts'
import { act } from './act.ts'
import { inPath, isViewer, type ListedUser, people } from './readings.ts'

/** The browser sessions of a person; each can be ended. */
export function Sessions({ of }: { readonly of: ListedUser }): JSX.Element {
  const params = { ...inPath().params, user: of.user_id }
  const sessions = useMemo(() => reading(() => operator().client.listUserSessions({ params })), [of.user_id])
  // The number of sessions is part of the person, which the audit log keeps current.
  useEffect(() => void sessions.read(), [sessions, of.sessions])
  const end = async (id?: string) => {
    const isSure = await ask({
      title: id === undefined ? `End all sessions of ${of.name}?` : `End this session of ${of.name}?`,
      effect: `${
        id === undefined ? 'Every browser' : 'The browser'
      } is signed out at once and its tokens end. ${of.name} can sign in again.${isViewer(of) ? ' This is you: it may be this browser.' : ''}`,
      keep: 'Keep',
      confirm: id === undefined ? 'End all sessions' : 'End the session',
    })
    if (!isSure) return
    const query = id === undefined ? {} : { session_id: id }
    await act(() => actingOperator().client.endUserSessions({ params, query }), sessions, people)
  }
  return (
    <Shown of={sessions} what={`the sessions of ${of.name}`} rows={2}>
      {(list) =>
        list.length === 0 ? (
          <p class="faint">{of.name} is not signed in anywhere.</p>
        ) : (
          <ul class="sessions">
            {list.map(({ session_id: id, created_at: since, ends_at: ends, from, operator_until: until }) => (
              <li key={id}>
                <span class="mono">{from ?? 'address erased'}</span>
                <span class="soft">since {nearText(since, Date.now())}</span>
                <span class="faint wide-only">ends {nearText(ends, Date.now())}</span>
                {until !== undefined && (
                  <span class="chip warn">operator until {nearText(until, Date.now())}</span>
                )}
                <button
                  data-changes
                  type="button"
                  class="button small wrong right"
                  onClick={() => void end(id)}
                >
                  End
                </button>
              </li>
            ))}
            {list.length > 1 && (
              <li>
                <button
                  data-changes
                  type="button"
                  class="button small wrong right"
                  onClick={() => void end()}
                >
                  End all {list.length}
                </button>
              </li>
            )}
          </ul>
        )
      }
    </Shown>
  )
}
