import { ApiError } from '@quipu/sdk'
import type { JSX } from 'preact'
import { problemText } from '../format/problem-text.ts'
import { hrefOf } from '../router.ts'
import { Icon } from './icon.tsx'

/** Why an action was refused, shown where the viewer tried it. */
export function Problem({ title, error }: { readonly title: string; readonly error: Error }): JSX.Element {
  const requestId = error instanceof ApiError ? error.requestId : undefined
  return (
    <div class="note wrong" role="alert">
      <Icon name="warning" />
      <b>{title}</b>
      <p>
        {problemText(error)}{' '}
        {requestId !== undefined && (
          <a class="link mono small" href={hrefOf('activity', requestId)}>
            request …{requestId.slice(-7)}
          </a>
        )}
      </p>
    </div>
  )
}
