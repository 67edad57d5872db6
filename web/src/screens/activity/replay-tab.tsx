import type { LoggedRequest } from '@quipu/sdk'
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { eventSubject, eventTitle } from '../../format/event-words.ts'
import { reasonWords } from '../../format/request-sentence.ts'
import { Icon } from '../../parts/icon.tsx'
import { chooseWorld } from '../../shell/switches.tsx'
import { Code, prettyJson } from './code.tsx'
import { type Outcome, type Replayed, replay, whyNotReplayed } from './replay.ts'
import type { RequestState } from './request-state.ts'
import { tookText } from './request-words.ts'

type Shown = RequestState & { readonly request: LoggedRequest }

/** Sends the request again, in a fork from before it, and shows both outcomes side by side. */
export function ReplayTab({ state }: { readonly state: Shown }): JSX.Element {
  const [done, setDone] = useState<Replayed>()
  const [problem, setProblem] = useState<Error>()
  const [isBusy, setBusy] = useState(false)
  const whyNot = whyNotReplayed(state.request)
  const run = async (): Promise<void> => {
    setBusy(true)
    setProblem(undefined)
    await replay(state).then(setDone, setProblem)
    setBusy(false)
  }
  return (
    <div class="body" role="tabpanel" aria-label="Replay">
      <p class="soft">
        Forks the world before this request, and sends it there with your rights. Keys are not copied; this
        world stays as it is. A fork that nobody uses is deleted after an hour.
      </p>
      {whyNot !== undefined && <p class="of-warn small">{whyNot}</p>}
      <div class="program-actions">
        <button
          data-changes
          type="button"
          class="button sim"
          disabled={whyNot !== undefined || isBusy}
          onClick={() => void run()}
        >
          <Icon name="fork" /> {isBusy ? 'Replaying …' : done ? 'Replay again' : 'Replay in a fork'}
        </button>
        {done && (
          <button type="button" class="link" onClick={() => chooseWorld(done.fork)}>
            Open {done.fork}
          </button>
        )}
      </div>
      {problem && (
        <p class="of-wrong" role="alert">
          {problem.message}
        </p>
      )}
      {done && (
        <div class="replayed">
          <OutcomePart title="In this world" outcome={done.first} />
          <OutcomePart title={`In the fork ${done.fork}`} outcome={done.again} isSim />
        </div>
      )}
    </div>
  )
}

function OutcomePart({
  title,
  outcome: { status, reason, ms, events, body },
  isSim = false,
}: {
  readonly title: string
  readonly outcome: Outcome
  readonly isSim?: boolean
}): JSX.Element {
  return (
    <section aria-label={title}>
      <h2 class={isSim ? 'of-sim' : ''}>{title}</h2>
      <p>
        <b class={(status ?? 500) >= 400 ? 'of-wrong' : ''}>{status ?? 'No response'}</b>
        {reason !== undefined && ` ${reasonWords(reason)}`}
        {ms !== undefined && <span class="faint"> after {tookText(ms)} ms</span>}
      </p>
      {events.length === 0 ? (
        <p class="soft small">No event.</p>
      ) : (
        <ul class="small">
          {events.map((event) => (
            <li key={event.number}>
              Event {event.number}, {eventTitle(event)} <span class="soft">{eventSubject(event)}</span>
            </li>
          ))}
        </ul>
      )}
      {body === undefined ? (
        <p class="faint small">The log keeps no bodies of responses.</p>
      ) : (
        <Code label={`Response: ${title}`} text={prettyJson(JSON.stringify(body))} />
      )}
    </section>
  )
}
