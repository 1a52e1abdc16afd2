import { useEffect, useState } from 'react';

/** True once the element has come near to what is seen. */
export function useSeen(): { ref(element: HTMLElement | null): void; isSeen: boolean } {
  const [element, ref] = useState<HTMLElement | null>(null);
  const [isSeen, setSeen] = useState(false);
  useEffect(() => {
    if (element === null || isSeen) return;
    const seen = new IntersectionObserver((entries) => setSeen(entries.some((one) => one.isIntersecting)), {
      rootMargin: '300px',
    });
    seen.observe(element);
    return () => seen.disconnect();
  }, [element, isSeen]);
  return { ref, isSeen };
}
