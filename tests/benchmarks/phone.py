"""When each page of the built book first shows something on a slow phone: `make bench`.

390 pixels wide, a processor four times slower, and the fast 3G of browsers' own tools: 1.4 Mbit/s, 560 ms a request.
The middle of three visits counts.
"""

from playwright.sync_api import sync_playwright

from tests.site.pages import SITE, site_pages
from tests.site.serving import serving
from tools.bookbuild.printing import chromium

FAST_3G = {"offline": False, "latency": 562.5, "downloadThroughput": 188_700, "uploadThroughput": 86_400}
SLOWER = 4
GOAL = 2.5


def first_paint(browser, url):
    """Seconds until the page shows something."""
    phone = {"viewport": {"width": 390, "height": 844}, "device_scale_factor": 2, "is_mobile": True, "has_touch": True}
    context = browser.new_context(**phone)
    page = context.new_page()
    session = context.new_cdp_session(page)
    session.send("Network.emulateNetworkConditions", FAST_3G)
    session.send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
    page.goto(url, timeout=120_000)
    painted = page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime / 1000")
    context.close()
    return painted


def main():
    print("\nFirst paint on a slow phone, in seconds\n")
    with serving(SITE) as address, sync_playwright() as playwright:
        browser = chromium(playwright)
        for name in site_pages():
            _, middle, _ = sorted(first_paint(browser, f"{address}/{name}") for _ in range(3))
            print(f"{name:34} {middle:5.2f}{'' if middle <= GOAL else '   slower than it should be'}", flush=True)
        browser.close()


if __name__ == "__main__":
    main()
