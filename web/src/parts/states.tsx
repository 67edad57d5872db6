import { ApiError } from '@quipu/sdk'
import type { ComponentChildren, JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { isMissing, problemText } from '../format/problem-text.ts'
import { onReconnect } from '../live/reading.ts'
import { hrefOf } from '../router.ts'
import { isAuditor } from '../session/session.ts'
import { Icon, type IconName } from './icon.tsx'

/** Rows in place of a table that is being read; they appear after 150 ms. */
export const Loading = ({ rows = 4 }: { readonly rows?: number }): JSX.Element => (
  <div class="body" role="status" aria-label="Loading">
    {Array.from({ length: rows }, (_, row) => (
      <p key={row}>
        <span class="skeleton" style={{ width: `${30 + ((row * 37) % 45)}%` }} />
      </p>
    ))}
  </div>
)

/** A number that is being read. */
export const LoadingNumber = ({ width = '5rem' }: { readonly width?: string }): JSX.Element => (
  <span class="skeleton" style={{ width }} role="status" aria-label="Loading" />
)

type EmptyProps = {
  readonly icon: IconName
  readonly title: string
  readonly children?: ComponentChildren
  readonly actions?: ComponentChildren
}

/** An empty part teaches the next step. */
export const Empty = ({ icon, title, children, actions }: EmptyProps): JSX.Element => (
  <div class="empty">
    <Icon name={icon} />
    <b>{title}</b>
    {children !== undefined && <p>{children}</p>}
    {actions !== undefined && <div class="actions">{actions}</div>}
  </div>
)

type FailedProps = { readonly what: string; readonly error: Error; readonly retry?: () => void }

/** A part that could not be read: what, why, the request id, and another attempt. */
export function Failed({ what, error, retry }: FailedProps): JSX.Element {
  const requestId = error instanceof ApiError ? error.requestId : undefined
  useEffect(() => (retry ? onReconnect(retry) : undefined), [])
  return (
    <div class="empty" role="alert">
      <Icon name="warning" />
      <b>
        Could not {isMissing(error) ? 'find' : 'load'} {what}
      </b>
      <p title={error.message}>
        {isMissing(error) ? 'It may have been deleted, or you may not see it.' : problemText(error)}
      </p>
      {requestId !== undefined && (
        <a class="link mono small" href={hrefOf('activity', requestId)}>
          request …{requestId.slice(-7)}
        </a>
      )}
      {retry && !isMissing(error) && (
        <div class="actions">
          <button type="button" class="button small" onClick={retry}>
            Try now
          </button>
        </div>
      )}
    </div>
  )
}

const role = (): string => (isAuditor.value ? 'auditor' : 'operator')

/** A part that needs rights which the viewer does not have. */
export const NotAllowed = ({
  name,
  canRaise,
}: {
  readonly name: string
  readonly canRaise: boolean
}): JSX.Element => (
  <div class="empty">
    <Icon name="key" />
    <b>Only for operators and auditors</b>
    <p>
      You are signed in as <b>{name}</b>.{' '}
      {canRaise ? `Your ${role()} rights have ended.` : 'Ask an operator, or sign in as one.'}
    </p>
    {canRaise && (
      <div class="actions">
        <a class="button main" href="oauth/operator">
          Raise {role()} rights
        </a>
      </div>
    )}
  </div>
)
