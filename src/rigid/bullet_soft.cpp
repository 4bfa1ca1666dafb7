// bullet_soft.cpp: a block of Bullet's deformable bodies.
#include "bullet_soft.h"

#include <BulletSoftBody/btDeformableBodySolver.h>
#include <BulletSoftBody/btDeformableLinearElasticityForce.h>
#include <BulletSoftBody/btDeformableMultiBodyConstraintSolver.h>
#include <BulletSoftBody/btDeformableMultiBodyDynamicsWorld.h>
#include <BulletSoftBody/btSoftBody.h>
#include <BulletSoftBody/btSoftBodyHelpers.h>
#include <BulletSoftBody/btSoftBodyRigidBodyCollisionConfiguration.h>
#include <btBulletDynamicsCommon.h>

#include <cmath>
#include <memory>
#include <new>

// Members are destroyed from the last to the first.
struct wri_bullet_soft {
    btSoftBodyRigidBodyCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher{&configuration};
    btDbvtBroadphase broadphase;
    btDeformableBodySolver bodies;
    btDeformableMultiBodyConstraintSolver solver;
    btBoxShape floor{btVector3(50, 1, 50)};
    btRigidBody ground{0.0, nullptr, &floor};
    btDeformableMultiBodyDynamicsWorld world{&dispatcher, &broadphase, &solver, &configuration,
                                             &bodies};
    btDeformableGravityForce gravity{btVector3(0, -9.81, 0)};
    std::unique_ptr<btDeformableLinearElasticityForce> elasticity;
    std::unique_ptr<btSoftBody> body;

    ~wri_bullet_soft()
    {
        if (body) {
            world.removeSoftBody(body.get());
        }
        world.removeRigidBody(&ground);
    }
};

static int node_of(const wri_bullet_soft_desc &d, int x, int y, int z)
{
    return x + d.counts[0] * (y + d.counts[1] * z);
}

// Corners of a cell by their bits; every other one is mirrored, so that faces fit.
static void add_cell(btSoftBody &body, const wri_bullet_soft_desc &d, int x, int y, int z)
{
    static const int tets[5][4] = {
        {0, 1, 2, 4}, {3, 2, 1, 7}, {5, 4, 7, 1}, {6, 7, 4, 2}, {1, 2, 4, 7}};
    int mirror = (x + y + z) % 2;
    for (const auto &tet : tets) {
        int n[4];
        for (int c = 0; c < 4; c++) {
            int corner = tet[c] ^ mirror;
            n[c] = node_of(d, x + (corner & 1), y + (corner >> 1 & 1), z + (corner >> 2 & 1));
        }
        const btVector3 &o = body.m_nodes[n[0]].m_x;
        btVector3 a = body.m_nodes[n[1]].m_x - o, b = body.m_nodes[n[2]].m_x - o;
        if (a.dot(b.cross(body.m_nodes[n[3]].m_x - o)) < 0) {
            btSwap(n[2], n[3]);
        }
        body.appendTetra(n[0], n[1], n[2], n[3]);
    }
}

// Bullet's tree of nodes is built along links, and never ends without.
static void add_links(btSoftBody &body, const wri_bullet_soft_desc &d)
{
    for (int i = 0; i < body.m_nodes.size(); i++) {
        const int at[3] = {i % d.counts[0], i / d.counts[0] % d.counts[1],
                           i / d.counts[0] / d.counts[1]};
        for (int k = 0, next = 1; k < 3; next *= d.counts[k], k++) {
            if (at[k] + 1 < d.counts[k]) {
                body.appendLink(i, i + next);
            }
        }
    }
}

// What Bullet keeps of a tetrahedron that is not deformed.
static btSoftBody::TetraScratch resting()
{
    btSoftBody::TetraScratch scratch;
    scratch.m_F.setIdentity();
    scratch.m_cofF.setIdentity();
    scratch.m_corotation.setIdentity();
    scratch.m_J = 1;
    scratch.m_trace = 3;
    return scratch;
}

static std::unique_ptr<btSoftBody> make_block(btSoftBodyWorldInfo &info,
                                              const wri_bullet_soft_desc &d)
{
    int count = d.counts[0] * d.counts[1] * d.counts[2];
    btAlignedObjectArray<btVector3> places;
    for (int i = 0; i < count; i++) {
        places.push_back(btVector3(d.spacing * (i % d.counts[0]),
                                   d.height + d.spacing * (i / d.counts[0] % d.counts[1]),
                                   d.spacing * (i / d.counts[0] / d.counts[1])));
    }
    std::unique_ptr<btSoftBody> body(new btSoftBody(&info, count, &places[0], nullptr));
    double volume = 1.0;
    for (int n : d.counts) {
        volume *= d.spacing * (n - 1);
    }
    for (int z = 0; z + 1 < d.counts[2]; z++) {
        for (int y = 0; y + 1 < d.counts[1]; y++) {
            for (int x = 0; x + 1 < d.counts[0]; x++) {
                add_cell(*body, d, x, y, z);
            }
        }
    }
    add_links(*body, d);
    btSoftBodyHelpers::generateBoundaryFaces(body.get());
    body->initializeDmInverse();
    body->m_tetraScratches.resize(body->m_tetras.size(), resting());
    body->m_tetraScratchesTn.resize(body->m_tetras.size(), resting());
    body->getCollisionShape()->setMargin(0.2 * d.spacing);
    body->setTotalMass(d.density * volume);
    body->m_cfg.kKHR = 1;
    body->m_cfg.kCHR = 1;
    body->m_cfg.kDF = 0.6;
    body->m_cfg.collisions = btSoftBody::fCollision::SDF_RD | btSoftBody::fCollision::SDF_RDN;
    body->m_sleepingThreshold = 0;
    body->setVelocity(btVector3(0, -d.speed, 0));
    return body;
}

wri_bullet_soft *wri_bullet_soft_create(const wri_bullet_soft_desc *desc)
{
    try {
        std::unique_ptr<wri_bullet_soft> soft(new wri_bullet_soft);
        const btVector3 gravity(0, -9.81, 0);
        soft->ground.setWorldTransform(
            btTransform(btQuaternion::getIdentity(), btVector3(0, -1, 0)));
        soft->ground.setFriction(0.6);
        soft->solver.setDeformableSolver(&soft->bodies);
        soft->world.setGravity(gravity);
        soft->world.getWorldInfo().m_gravity = gravity;
        soft->world.getWorldInfo().m_sparsesdf.setDefaultVoxelsz(0.25);
        soft->world.getWorldInfo().m_sparsesdf.Reset();
        soft->world.addRigidBody(&soft->ground);
        soft->body = make_block(soft->world.getWorldInfo(), *desc);
        soft->elasticity.reset(new btDeformableLinearElasticityForce);
        soft->elasticity->setPoissonRatio(desc->poisson);
        soft->elasticity->setYoungsModulus(desc->young);
        soft->world.addSoftBody(soft->body.get());
        soft->world.addForce(soft->body.get(), soft->elasticity.get());
        soft->world.addForce(soft->body.get(), &soft->gravity);
        soft->world.setImplicit(true);
        soft->world.setLineSearch(false);
        soft->world.setUseProjection(true); // without it implicit steps move nothing
        return soft.release();
    } catch (const std::bad_alloc &) {
        return nullptr;
    }
}

void wri_bullet_soft_destroy(wri_bullet_soft *soft)
{
    delete soft;
}

void wri_bullet_soft_step(wri_bullet_soft *soft, double dt)
{
    soft->world.stepSimulation(dt, 1, dt);
}

int wri_bullet_soft_tetrahedra(const wri_bullet_soft *soft)
{
    return soft->body->m_tetras.size();
}

double wri_bullet_soft_height(const wri_bullet_soft *soft)
{
    double highest = -INFINITY;
    for (int i = 0; i < soft->body->m_nodes.size(); i++) {
        double y = soft->body->m_nodes[i].m_x.y();
        highest = y <= highest ? highest : y; // and what is no number
    }
    return highest;
}
