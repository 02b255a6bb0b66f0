// Starts the console in the page that the service serves.
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { Console } from './console.tsx'
import './look/look.css'

// Menus and dialogs write a style while they are open; the policy allows it by the nonce of the page, which get-nonce finds here.
const { nonce } = document.querySelector<HTMLMetaElement>('meta[property=csp-nonce]') ?? {}
Object.assign(globalThis, { __webpack_nonce__: nonce })

const place = document.getElementById('console')
if (place === null) throw new Error('The page has no element for the console.')

createRoot(place).render(
  <StrictMode>
    <Console />
  </StrictMode>,
)
