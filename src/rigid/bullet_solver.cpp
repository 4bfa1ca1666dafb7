// bullet_solver.cpp: impulses of contacts and joints.
//
// Sequential impulses with joints and friction warm-started as well as normal forces, sweeps that
// go to and fro so that loads travel up and down chains and stacks equally well, extra sweeps for
// joints and a round friction cone. Bounces are lowered where they would bring energy: the speed
// with which a point leaves says nothing about what friction and the other points do meanwhile, and
// a long body that is caught at its end could fly off with a fifth more energy than it had (T.
// Kane, D. Levinson. Dynamics: theory and applications. 1985).
#include "bullet_world.h"

using namespace wri;

namespace
{

const btScalar FRICTION_WARMTH = 0.9; // share of the last friction that the solver starts from
const btScalar JOINT_WARMTH = 0.9;    // the same for joints
const int JOINT_SWEEPS = 4;           // per sweep over the contacts
const int BOUNCE_ROUNDS = 6;          // in which a bounce that brings energy is lowered
const unsigned long SOLVER_SEED = 1234567;

class warm_solver : public btSequentialImpulseConstraintSolver
{
  public:
    BT_DECLARE_ALIGNED_ALLOCATOR();

    explicit warm_solver(std::vector<joint> &list) : joints(list)
    {
        setRandSeed(SOLVER_SEED);
    }

  protected:
    // Inverse effective masses along the two tangents of a contact and between them, 1/kg.
    struct tangent_mass {
        btScalar xx, yy, xy;
    };

    void apply(btSolverConstraint &row, btScalar impulse)
    {
        WR_ASSERT(row.m_solverBodyIdA < m_tmpSolverBodyPool.size() &&
                  row.m_solverBodyIdB < m_tmpSolverBodyPool.size());
        btSolverBody &a = m_tmpSolverBodyPool[row.m_solverBodyIdA];
        btSolverBody &b = m_tmpSolverBodyPool[row.m_solverBodyIdB];
        a.internalApplyImpulse(row.m_contactNormal1 * a.internalGetInvMass(),
                               row.m_angularComponentA, impulse);
        b.internalApplyImpulse(row.m_contactNormal2 * b.internalGetInvMass(),
                               row.m_angularComponentB, impulse);
        row.m_appliedImpulse = row.m_appliedImpulse + impulse;
    }

    btScalar resolve(btSolverConstraint &row)
    {
        return resolveSingleConstraintRowGeneric(m_tmpSolverBodyPool[row.m_solverBodyIdA],
                                                 m_tmpSolverBodyPool[row.m_solverBodyIdB], row);
    }

    void convertJoints(btTypedConstraint **constraints, int count,
                       const btContactSolverInfo &info) override
    {
        btSequentialImpulseConstraintSolver::convertJoints(constraints, count, info);
        int first = 0;
        for (int i = 0; i < count; i++) {
            int rows = m_tmpConstraintSizesPool[i].m_numConstraintRows;
            WR_ASSERT(first + rows <= m_tmpSolverNonContactConstraintPool.size());
            const wri_joint_state &state =
                joints[(size_t)constraints[i]->getUserConstraintId()].state;
            for (int j = 0; rows == state.row_count && j < rows; j++) {
                btSolverConstraint &row = m_tmpSolverNonContactConstraintPool[first + j];
                btScalar impulse = JOINT_WARMTH * state.row[j] * info.m_timeStep;
                apply(row, btClamped(impulse, row.m_lowerLimit, row.m_upperLimit));
            }
            first += rows;
        }
    }

    void convertContacts(btPersistentManifold **manifolds, int count,
                         const btContactSolverInfo &info) override
    {
        btSequentialImpulseConstraintSolver::convertContacts(manifolds, count, info);
        for (int i = 0; i < m_tmpSolverContactConstraintPool.size(); i++) {
            const btSolverConstraint &normal = m_tmpSolverContactConstraintPool[i];
            const btManifoldPoint *p =
                static_cast<const btManifoldPoint *>(normal.m_originalContactPoint);
            split_push(m_tmpSolverContactConstraintPool[i], *p, info.m_timeStep);
            btSolverConstraint *rows =
                &m_tmpSolverContactFrictionConstraintPool[normal.m_frictionIndex];
            apply(rows[0], FRICTION_WARMTH * p->m_appliedImpulseLateral1);
            apply(rows[1], FRICTION_WARMTH * p->m_appliedImpulseLateral2);
        }
        find_tangents();
        find_impacts();
    }

    // Of what pushes an overlap apart, a resting contact's spring has as much as balances what it
    // carried in the last step. The rest moves the bodies without giving them a speed: an overlap
    // that comes from a change of shape is no spring that was pressed, and would throw them apart.
    static void split_push(btSolverConstraint &row, const btManifoldPoint &p, btScalar dt)
    {
        btScalar push = btMax(-p.getDistance(), btScalar(0)) * p.m_contactERP / dt;
        push *= row.m_jacDiagABInv;
        btScalar rest = push - btMin(push, row.m_cfm * p.m_appliedImpulse);
        row.m_rhs -= rest;
        row.m_rhsPenetration = rest;
    }

    btScalar sweep_joints(bool back)
    {
        btScalar most = 0;
        int count = m_tmpSolverNonContactConstraintPool.size();
        for (int i = 0; i < count; i++) {
            btScalar change =
                resolve(m_tmpSolverNonContactConstraintPool[back ? count - 1 - i : i]);
            most = btMax(most, change * change);
        }
        return most;
    }

    // Relative speed along a row that the impulses so far have added.
    btScalar change_along(const btSolverConstraint &row)
    {
        btSolverBody &a = m_tmpSolverBodyPool[row.m_solverBodyIdA];
        btSolverBody &b = m_tmpSolverBodyPool[row.m_solverBodyIdB];
        return row.m_contactNormal1.dot(a.internalGetDeltaLinearVelocity()) +
               row.m_relpos1CrossNormal.dot(a.internalGetDeltaAngularVelocity()) +
               row.m_contactNormal2.dot(b.internalGetDeltaLinearVelocity()) +
               row.m_relpos2CrossNormal.dot(b.internalGetDeltaAngularVelocity());
    }

    // The change of impulse that would stop the relative motion along a row.
    btScalar wanted(const btSolverConstraint &row)
    {
        return row.m_rhs - row.m_appliedImpulse * row.m_cfm -
               change_along(row) * row.m_jacDiagABInv;
    }

    // How an impulse along one tangent of a contact changes the speed along the other, 1/kg.
    btScalar cross_inverse_mass(const btSolverConstraint &x, const btSolverConstraint &y)
    {
        const btSolverBody &a = m_tmpSolverBodyPool[x.m_solverBodyIdA];
        const btSolverBody &b = m_tmpSolverBodyPool[x.m_solverBodyIdB];
        return x.m_contactNormal1.dot(y.m_contactNormal1 * a.internalGetInvMass()) +
               x.m_contactNormal2.dot(y.m_contactNormal2 * b.internalGetInvMass()) +
               x.m_relpos1CrossNormal.dot(y.m_angularComponentA) +
               x.m_relpos2CrossNormal.dot(y.m_angularComponentB);
    }

    void find_tangents()
    {
        tangents.clear();
        for (int i = 0; i < m_tmpSolverContactConstraintPool.size(); i++) {
            int first = m_tmpSolverContactConstraintPool[i].m_frictionIndex;
            const btSolverConstraint *rows = &m_tmpSolverContactFrictionConstraintPool[first];
            tangents.push_back({1 / rows[0].m_jacDiagABInv, 1 / rows[1].m_jacDiagABInv,
                                cross_inverse_mass(rows[0], rows[1])});
        }
    }

    // Coulomb's law for both tangents at once: the impulse p that stops the sliding, or one at the
    // cone's rim that opposes the sliding v it leaves: v = -s p with s >= 0 and K p - v = stop, so
    // (K + s) p = stop with |p| = limit. Newton's method for 1 / |p|, nearly a line in s (J. Moré,
    // D. Sorensen. Computing a trust region step. 1983). Each tangent for itself, with its own
    // effective mass, would turn the force away from the direction of sliding.
    static void find_friction(const tangent_mass &k, const btScalar stop[2], btScalar limit,
                              btScalar p[2])
    {
        const int most_rounds = 8;
        const btScalar precise = 1e-4, nothing = 1e-12; // shares of the limit, of the impulse
        btScalar s = 0, size = 0;
        for (int round = 0; round < most_rounds; round++) {
            btScalar xx = k.xx + s, yy = k.yy + s, det = xx * yy - k.xy * k.xy;
            p[0] = (yy * stop[0] - k.xy * stop[1]) / det;
            p[1] = (xx * stop[1] - k.xy * stop[0]) / det;
            btScalar size2 = p[0] * p[0] + p[1] * p[1];
            if (size2 <= limit * limit) {
                return; // it sticks
            }
            size = btSqrt(size2);
            if (size <= limit * (1 + precise) || limit <= nothing * size) {
                break;
            }
            btScalar slope = (yy * p[0] * p[0] - 2 * k.xy * p[0] * p[1] + xx * p[1] * p[1]) / det;
            s += (size / limit - 1) * size * size / slope;
        }
        btScalar keep = size > limit ? limit / size : 1;
        p[0] *= keep;
        p[1] *= keep;
    }

    // Returns the squared change of the sliding velocity.
    btScalar resolve_friction(int contact)
    {
        const btSolverConstraint &normal = m_tmpSolverContactConstraintPool[contact];
        const tangent_mass &k = tangents[(size_t)contact];
        btSolverConstraint *rows =
            &m_tmpSolverContactFrictionConstraintPool[normal.m_frictionIndex];
        btScalar x = rows[0].m_appliedImpulse, y = rows[1].m_appliedImpulse, p[2];
        if (normal.m_appliedImpulse == 0 && x == 0 && y == 0) {
            return 0; // it does not press
        }
        const btScalar stop[2] = {k.xx * (x + wanted(rows[0])) + k.xy * y,
                                  k.yy * (y + wanted(rows[1])) + k.xy * x};
        find_friction(k, stop, normal.m_appliedImpulse * normal.m_friction, p);
        btScalar dx = p[0] - x, dy = p[1] - y;
        apply(rows[0], dx);
        apply(rows[1], dy);
        btScalar vx = k.xx * dx + k.xy * dy, vy = k.xy * dx + k.yy * dy;
        return vx * vx + vy * vy;
    }

    btScalar sweep_rolling()
    {
        btScalar most = 0;
        for (int i = 0; i < m_tmpSolverContactRollingFrictionConstraintPool.size(); i++) {
            btSolverConstraint &row = m_tmpSolverContactRollingFrictionConstraintPool[i];
            btScalar limit =
                m_tmpSolverContactConstraintPool[row.m_frictionIndex].m_appliedImpulse *
                row.m_friction;
            row.m_lowerLimit = -limit;
            row.m_upperLimit = limit;
            btScalar change = resolve(row);
            most = btMax(most, change * change);
        }
        return most;
    }

    btScalar solveSingleIteration(int iteration, btCollisionObject **, int, btPersistentManifold **,
                                  int, btTypedConstraint **, int, const btContactSolverInfo &,
                                  btIDebugDraw *) override
    {
        btScalar most = 0;
        bool back = iteration % 2 != 0;
        for (int i = 0; i < JOINT_SWEEPS; i++) {
            most = btMax(most, sweep_joints(back == (i % 2 == 0)));
        }
        int count = m_tmpSolverContactConstraintPool.size();
        for (int i = 0; i < count; i++) {
            btSolverConstraint &row = m_tmpSolverContactConstraintPool[back ? count - 1 - i : i];
            btScalar change =
                resolveSingleConstraintRowLowerLimit(m_tmpSolverBodyPool[row.m_solverBodyIdA],
                                                     m_tmpSolverBodyPool[row.m_solverBodyIdB], row);
            most = btMax(most, change * change);
        }
        for (int i = 0; i < count; i++) {
            most = btMax(most, resolve_friction(back ? count - 1 - i : i));
        }
        return btMax(most, sweep_rolling());
    }

    btScalar solveGroupCacheFriendlyIterations(btCollisionObject **bodies, int count,
                                               btPersistentManifold **manifolds, int manifold_count,
                                               btTypedConstraint **constraints,
                                               int constraint_count,
                                               const btContactSolverInfo &info,
                                               btIDebugDraw *drawer) override
    {
        btScalar rest = btSequentialImpulseConstraintSolver::solveGroupCacheFriendlyIterations(
            bodies, count, manifolds, manifold_count, constraints, constraint_count, info, drawer);
        for (int round = 1; round <= BOUNCE_ROUNDS && lower_bounces(round); round++) {
            rest = BT_LARGE_FLOAT;
            for (int i = 0; i < info.m_numIterations && rest > info.m_leastSquaresResidualThreshold;
                 i++) {
                rest = solveSingleIteration(i, bodies, count, manifolds, manifold_count,
                                            constraints, constraint_count, info, drawer);
            }
        }
        for (const impact &b : impacts) { // as it was in the end
            const btSolverConstraint &row = m_tmpSolverContactConstraintPool[b.row];
            static_cast<btManifoldPoint *>(row.m_originalContactPoint)->m_combinedRestitution *=
                islands[(size_t)b.island].share;
        }
        return rest;
    }

    btScalar solveGroupCacheFriendlyFinish(btCollisionObject **bodies, int count,
                                           const btContactSolverInfo &info) override
    {
        const void *last = nullptr;
        int rows = 0;
        for (int i = 0; i < m_tmpSolverNonContactConstraintPool.size(); i++) {
            const btSolverConstraint &row = m_tmpSolverNonContactConstraintPool[i];
            rows = row.m_originalContactPoint == last ? rows : 0;
            last = row.m_originalContactPoint;
            const btTypedConstraint *constraint = static_cast<const btTypedConstraint *>(last);
            wri_joint_state &state = joints[(size_t)constraint->getUserConstraintId()].state;
            if (rows < WRI_JOINT_ROWS) {
                state.row[rows] = row.m_appliedImpulse / info.m_timeStep;
            }
            state.row_count = btMin(++rows, (int)WRI_JOINT_ROWS);
        }
        return btSequentialImpulseConstraintSolver::solveGroupCacheFriendlyFinish(bodies, count,
                                                                                  info);
    }

  private:
    // A contact that bounces.
    struct impact {
        int row, island;
        btScalar speed; // with which it shall part
    };
    // Bodies that act on each other: what their impacts did, and how much of the bounce they keep.
    struct island {
        btScalar share = 1, next = 1;         // of the bounce: now, and to try next
        btScalar work = 0, impact_energy = 0; // of this share; energy that came with the impacts
        btScalar low = 0, high = 1;           // shares without and with a gain
        btScalar low_work = 1, high_work = 0; // theirs; low_work 1: not known
    };

    std::vector<joint> &joints;
    std::vector<tangent_mass> tangents; // of all contacts
    std::vector<impact> impacts;
    std::vector<island> islands; // by Bullet's number

    // Relative motion along a row before the step, with a share f of what forces add in it.
    btScalar speed_along(const btSolverConstraint &row, btScalar f)
    {
        const btSolverBody &a = m_tmpSolverBodyPool[row.m_solverBodyIdA];
        const btSolverBody &b = m_tmpSolverBodyPool[row.m_solverBodyIdB];
        return row.m_contactNormal1.dot(a.m_linearVelocity + f * a.m_externalForceImpulse) +
               row.m_relpos1CrossNormal.dot(a.m_angularVelocity + f * a.m_externalTorqueImpulse) +
               row.m_contactNormal2.dot(b.m_linearVelocity + f * b.m_externalForceImpulse) +
               row.m_relpos2CrossNormal.dot(b.m_angularVelocity + f * b.m_externalTorqueImpulse);
    }

    void find_impacts()
    {
        impacts.clear();
        islands.clear();
        for (int i = 0; i < m_tmpSolverContactConstraintPool.size(); i++) {
            const btSolverConstraint &row = m_tmpSolverContactConstraintPool[i];
            const btManifoldPoint *p =
                static_cast<const btManifoldPoint *>(row.m_originalContactPoint);
            btScalar speed = -speed_along(row, 0) * p->m_combinedRestitution;
            if (speed > 0) {
                const btSolverBody &a = m_tmpSolverBodyPool[row.m_solverBodyIdA];
                const btSolverBody &b = m_tmpSolverBodyPool[row.m_solverBodyIdB];
                bool first = a.m_originalBody && a.m_originalBody->getInvMass() > 0;
                int tag = (first ? a : b).m_originalBody->getIslandTag();
                WR_ASSERT(tag >= 0);
                impacts.push_back({i, tag, speed});
                if (islands.size() <= (size_t)tag) {
                    islands.resize((size_t)tag + 1);
                }
            }
        }
    }

    // Work of the impulse of a row: it acted on the mean of the speeds before and after. Forces
    // count half: speeds lag behind places by half a step, and an impulse acts between two of them.
    btScalar work_of(const btSolverConstraint &row)
    {
        return row.m_appliedImpulse * (speed_along(row, 0.5) + btScalar(0.5) * change_along(row));
    }

    void find_work()
    {
        for (island &i : islands) {
            i.work = i.impact_energy = 0;
        }
        for (const impact &b : impacts) {
            const btSolverConstraint &row = m_tmpSolverContactConstraintPool[b.row];
            const btSolverConstraint *friction =
                &m_tmpSolverContactFrictionConstraintPool[row.m_frictionIndex];
            island &i = islands[(size_t)b.island];
            i.work += work_of(row) + work_of(friction[0]) + work_of(friction[1]);
            i.impact_energy -= btScalar(0.5) * row.m_appliedImpulse * speed_along(row, 0.5);
        }
    }

    // The share of the bounce to try next: between one that gains energy and one that does not,
    // where a line through both says that nothing is gained. Without any bounce nothing ever is.
    static btScalar next_share(island &i, bool last)
    {
        const btScalar gain = 1e-4 * i.impact_energy; // taken for none
        WR_ASSERT(i.share >= 0 && i.share <= 1 && i.low <= i.high);
        bool gains = i.work > gain;
        if (!gains && (i.share == 1 || i.share == 0 || last || i.work > -0.02 * i.impact_energy)) {
            return i.share;
        }
        (gains ? i.high : i.low) = i.share;
        (gains ? i.high_work : i.low_work) = i.work;
        if (last) {
            return i.low;
        }
        btScalar part = i.low_work > 0 ? 0.5 : i.low_work / (i.low_work - i.high_work);
        return i.low + btMin(part, btScalar(0.98)) * (i.high - i.low);
    }

    // Returns true when some of the bounces had to be changed.
    bool lower_bounces(int round)
    {
        if (impacts.empty()) {
            return false;
        }
        find_work();
        bool any = false;
        for (island &i : islands) {
            i.next = next_share(i, round == BOUNCE_ROUNDS);
            any = any || i.next != i.share;
        }
        for (const impact &b : impacts) {
            const island &i = islands[(size_t)b.island];
            btSolverConstraint &row = m_tmpSolverContactConstraintPool[b.row];
            row.m_rhs += (i.next - i.share) * b.speed * row.m_jacDiagABInv;
        }
        for (island &i : islands) {
            i.share = i.next;
        }
        return any;
    }
};

} // namespace

std::unique_ptr<btConstraintSolver> wri::make_solver(std::vector<joint> &joints)
{
    return std::unique_ptr<btConstraintSolver>(new warm_solver(joints));
}
