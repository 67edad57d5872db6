import type { JSX } from 'preact'
import { Copy } from '../../parts/copy.tsx'
import { Icon } from '../../parts/icon.tsx'
import { hrefOf } from '../../router.ts'
import { apiUrl } from '../../session/session.ts'
import { setFilters } from './filters.ts'

/** How a program reaches this server; the keys are not in the page. */
export function Connect({ hidden }: { readonly hidden: number }): JSX.Element {
  const text = [
    `export APCA_API_BASE_URL=${apiUrl.value}`,
    'export APCA_API_KEY_ID=…',
    'export APCA_API_SECRET_KEY=…',
  ].join('\n')
  return (
    <div class="empty connect">
      <Icon name="pulse" />
      <b>No request yet. Point your bot here:</b>
      <pre class="code" tabIndex={0}>
        {text}
      </pre>
      <div class="actions">
        <Copy text={text} class="button small" />
        <a class="button small bare" href={hrefOf('keys')}>
          <Icon name="key" /> Keys
        </a>
        {hidden > 0 && (
          <button type="button" class="button small bare" onClick={() => setFilters({ show: 'all' })}>
            Show {hidden} requests of this dashboard
          </button>
        )}
      </div>
      <p class="small faint">
        <code>eval "$(quipu env)"</code> sets all three.
      </p>
    </div>
  )
}
