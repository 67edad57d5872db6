import type { LoggedRequest } from '@quipu/sdk'
import type { JSX } from 'preact'
import { useEffect, useLayoutEffect, useState } from 'preact/hooks'
import { addKeys } from '../../keyboard.ts'
import { Copy } from '../../parts/copy.tsx'
import { Failed, Loading } from '../../parts/states.tsx'
import { go, place } from '../../router.ts'
import { isOperator } from '../../session/session.ts'
import { Code } from './code.tsx'
import { requestHref } from './filters.ts'
import { ReplayTab } from './replay-tab.tsx'
import { followRequest, readAgain, shown, shownProblem } from './request-state.ts'
import { sentenceOf, shortPath, tookText } from './request-words.ts'
import { Method } from './requests-list.tsx'
import { type Language, languages, snippetOf } from './snippets.ts'
import { dayOfStory, StoryCord } from './story-cord.tsx'

type View = 'follow' | 'replay' | Language
const viewNames: Readonly<Partial<Record<View, string>>> = { follow: 'Follow', replay: 'Replay' }

/** One request: what it caused, and how to send it again. */
export function RequestDetail(): JSX.Element {
  useEffect(() => followRequest(), [])
  useLayoutEffect(() => addKeys('Activity', { Escape: () => go(requestHref(undefined)) }), [])
  const [view, setView] = useState<View>('follow')
  const id = place.value.item ?? ''
  const views: readonly View[] = ['follow', ...(isOperator.value ? ['replay' as const] : []), ...languages]
  const state = shown.value
  if (!state && shownProblem.value)
    return (
      <section class="card" aria-label="Request">
        <h1 class="hidden-text">Activity: request</h1>
        <Failed what="the request" error={shownProblem.value} retry={readAgain} />
      </section>
    )
  const request = state?.request
  return (
    <section class="card request" aria-labelledby="request-title">
      <header>
        <h1 id="request-title" class="cut-text" title={request?.path}>
          {request ? <Title request={request} /> : `Request …${id.slice(-7)}`}
        </h1>
        {request && (
          <span class={`chip ${(request.status ?? 500) >= 400 ? 'wrong' : ''}`}>
            {request.status ?? 'none'}
          </span>
        )}
        {request && <span class="chip">{tookText(request.ms)} ms</span>}
        <span class="right">
          <Copy text={id}>…{id.slice(-7)}</Copy>
        </span>
      </header>
      <div class="tabs" role="tablist" aria-label="Request">
        {views.map((one) => (
          <button
            key={one}
            type="button"
            role="tab"
            aria-selected={view === one}
            disabled={one !== 'follow' && !request}
            onClick={() => setView(one)}
          >
            {viewNames[one] ?? one}
          </button>
        ))}
      </div>
      {!state ? (
        <Loading rows={5} />
      ) : view === 'replay' && request ? (
        <ReplayTab key={id} state={{ ...state, request }} />
      ) : view !== 'follow' && view !== 'replay' && request ? (
        <Program language={view} request={request} />
      ) : (
        <div class="body" role="tabpanel" aria-label="Follow">
          {dayOfStory(state) !== undefined && (
            <p class="faint small story-day">Events: {dayOfStory(state)}, New York time of the world</p>
          )}
          <StoryCord state={state} />
        </div>
      )}
    </section>
  )
}

const Title = ({ request }: { readonly request: LoggedRequest }): JSX.Element => (
  <>
    {sentenceOf(request)}
    <span class="sub">
      <Method name={request.method} /> <span class="mono">{shortPath(request.path)}</span>
    </span>
  </>
)

function Program({
  language,
  request,
}: {
  readonly language: Language
  readonly request: LoggedRequest
}): JSX.Element {
  const text = snippetOf(language, request)
  return (
    <div class="body" role="tabpanel" aria-label={language}>
      <Code label={`The request in ${language}`} text={text} />
      <div class="program-actions">
        <Copy text={text} class="button small">
          Copy {language}
        </Copy>
        <span class="faint small">
          Keys are read from the variables of <code>quipu env --all</code>.
        </span>
      </div>
    </div>
  )
}
