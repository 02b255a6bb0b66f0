// Who is signed in, with which role, and what is one's own: colors, single keys, the end of the session.
import * as Menu from '@radix-ui/react-dropdown-menu'
import type { Role, Session } from './reading/service.ts'
import { keysChoice } from './keyboard/keys.ts'
import { setTheme, type Theme, THEMES, useTheme } from './parts/theme.ts'
import { useSignOut } from './parts/use-sign-out.tsx'

type OperatorMenuProps = { readonly session: Session; readonly role: Role; readonly onHelp: () => void }

export const OperatorMenu = ({ session, role, onHelp }: OperatorMenuProps) => {
  const theme = useTheme()
  const { signOut, fault } = useSignOut()
  const keys = keysChoice.use()
  const { name, sub, iss } = session.operator
  return (
    <Menu.Root>
      {fault}
      <Menu.Trigger className="operator">
        <bdi>{name ?? sub}</bdi> <span className="quiet">{role}</span>
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Content className="menu" align="end">
          <Menu.Label className="quiet">
            <bdi>{sub}</bdi> at {iss}
          </Menu.Label>
          <Menu.Separator />
          <Menu.RadioGroup value={theme} onValueChange={value => setTheme(value as Theme)}>
            {THEMES.map(each => (
              <Menu.RadioItem key={each} value={each}>
                {each === 'system' ? 'Colors of the system' : `${each[0]?.toUpperCase()}${each.slice(1)}`}
                <Menu.ItemIndicator> ✓</Menu.ItemIndicator>
              </Menu.RadioItem>
            ))}
          </Menu.RadioGroup>
          <Menu.Separator />
          <Menu.CheckboxItem
            checked={keys === 'on'}
            onCheckedChange={isOn => keysChoice.set(isOn ? 'on' : 'off')}
            onSelect={event => event.preventDefault()}
          >
            Single keys
            <Menu.ItemIndicator> ✓</Menu.ItemIndicator>
          </Menu.CheckboxItem>
          <Menu.Item onSelect={onHelp}>Keys</Menu.Item>
          <Menu.Separator />
          <Menu.Item onSelect={signOut}>Sign out</Menu.Item>
        </Menu.Content>
      </Menu.Portal>
    </Menu.Root>
  )
}
