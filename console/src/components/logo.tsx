/** The paw and the name, and the name of the deployment. */
export function Logo({ deployment }: { deployment: string }) {
  return (
    <span class="logo">
      <svg viewBox="0 0 32 32" aria-hidden="true" focusable="false">
        <rect width="32" height="32" rx="8" />
        <ellipse cx="16" cy="20.6" rx="5.6" ry="4.6" />
        <ellipse cx="8.6" cy="15.4" rx="2.3" ry="3" />
        <ellipse cx="23.4" cy="15.4" rx="2.3" ry="3" />
        <ellipse cx="13" cy="10.6" rx="2.3" ry="3.1" />
        <ellipse cx="19" cy="10.6" rx="2.3" ry="3.1" />
      </svg>
      <span>
        Petstore
        <span class={`deployment ${deployment}`}>{deployment}</span>
      </span>
    </span>
  );
}
