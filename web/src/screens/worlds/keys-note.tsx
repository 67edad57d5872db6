import type { JSX } from 'preact'
import { Copy } from '../../parts/copy.tsx'
import { Icon } from '../../parts/icon.tsx'
import { newKeys } from '../../session/new-keys.ts'
import { apiUrl } from '../../session/session.ts'

/** The keys of a world that this page created: the server shows secrets once. */
export function KeysNote({ world }: { readonly world: string }): JSX.Element | null {
  const keys = newKeys.value
  if (keys?.world !== world) return null
  const [first] = keys.accounts
  const lines = [
    `export APCA_API_BASE_URL=${apiUrl.value}`,
    `export APCA_API_KEY_ID=${first?.key_id}`,
    `export APCA_API_SECRET_KEY=${first?.secret_key}`,
  ].join('\n')
  return (
    <div class="note sim keys-note">
      <Icon name="key" />
      <b>Point your bot at this world</b>
      <p>The secret is shown once. These variables are for the first account.</p>
      <pre class="code" tabIndex={0}>
        {lines}
      </pre>
      <div class="actions">
        <Copy text={lines} class="button small">
          Copy variables
        </Copy>
        {keys.accounts.length > 1 && (
          <Copy text={JSON.stringify(keys.accounts, null, 2)} class="button small">
            Copy keys of {keys.accounts.length} accounts
          </Copy>
        )}
        <button type="button" class="button small bare" onClick={() => (newKeys.value = undefined)}>
          Close
        </button>
      </div>
    </div>
  )
}
