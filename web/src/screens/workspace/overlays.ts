import { computed, signal } from '@preact/signals'
import { isNarrow } from '../../session/window.ts'
import { isFocusRequested } from '../../ticket/ticket-fields.ts'

/** In a narrow window the watchlist and the ticket lie over the chart. */
export const isListOpen = signal(false)
export const isTicketOpen = signal(false)

/** Whether the ticket is drawn: at the side, or because an order was begun. */
export const isTicketShown = computed(() => !isNarrow.value || isTicketOpen.value || isFocusRequested.value)
