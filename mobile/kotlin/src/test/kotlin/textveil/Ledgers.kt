package textveil

import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.DisplayName
import org.junit.jupiter.api.Test

@DisplayName("ledger")
class LedgersTest {
    @Test
    fun `a ledger goes on from its snapshot and refuses what is beyond the budget`() {
        val budgets = mapOf("comment" to Budget(epsilon = 5.0, period = 60u))
        val stored = Ledger(budgets).use { it.spend("comment", Loss(3.0, 0.0), now = 0u) }
        Ledger(budgets, stored.bytes, stored.sequence).use { ledger ->
            assertEquals(3.0, ledger.spent("comment", now = 59u).loss.epsilon)
            assertEquals("budget-exhausted", codeOf { ledger.spend("comment", Loss(3.0, 0.0), now = 59u) })
            assertEquals(2uL, ledger.spend("comment", Loss(3.0, 0.0), now = 60u).sequence)
            assertEquals("invalid-budget", codeOf { ledger.spent("another") })
        }
        assertEquals("bad-ledger", codeOf { Ledger(budgets, null, 1u) })
        val spent = Ledger.exhausted(budgets, sequence = 1u, now = 0u)
        assertEquals("budget-exhausted", codeOf { spent.use { it.spend("comment", Loss(0.0, 0.0), now = 0u) } })
    }

    @Test
    fun `what a release spends is what its guarantee states for the text`() = TextVeil().use { veil ->
        val guarantee = veil.privatize("The doctor was kind.").guarantee
        Ledger(mapOf("comment" to Budget(epsilon = 1e3))).use { ledger ->
            ledger.spend("comment", guarantee)
            assertEquals(Spent(Loss(guarantee.epsilonText, guarantee.deltaText), 1u), ledger.spent("comment"))
        }
    }

    @Test
    fun `a guarantee with another number is neither booked nor sent`() = TextVeil().use { veil ->
        val madeUp = veil.privatize("The doctor was kind.").guarantee.copy(epsilonText = 0.003)
        Ledger(mapOf("comment" to Budget(epsilon = 1e3))).use { ledger ->
            assertEquals("invalid-options", codeOf { ledger.spend("comment", madeUp) })
            assertEquals("invalid-options", codeOf { madeUp.short() })
            assertEquals(0u, ledger.spent("comment").releases)
        }
    }

    @Test
    fun `in a scope's name, half of a surrogate pair counts as U+FFFD`() {
        Ledger(mapOf("\uD83D" to Budget(epsilon = 1.0))).use { ledger ->
            ledger.spend("\uDE00", Loss(1.0, 0.0))
            assertEquals(1u, ledger.spent("\uFFFD").releases)
        }
        val twice = mapOf("\uD83D" to Budget(epsilon = 1.0), "\uDE00" to Budget(epsilon = 1.0))
        assertEquals("invalid-budget", codeOf { Ledger(twice) })
    }
}
