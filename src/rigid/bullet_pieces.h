// bullet_pieces.h: bodies of several convex pieces, and how they touch convex bodies and each
// other.
//
// Bullet asks a tree for pairs of pieces and makes the boxes of both anew for every pair it finds,
// twice. Here the boxes of all pieces of a body are found once per step; pairs whose boxes meet
// remember what separated them in the last step, and have a contact cache while they touch.
#pragma once

#include <vector>

#include <btBulletDynamicsCommon.h>

namespace wri
{

struct piece_box {
    btVector3 low, high;

    bool meets(const piece_box &other) const
    {
        return low.x() <= other.high.x() && other.low.x() <= high.x() &&
               low.y() <= other.high.y() && other.low.y() <= high.y() &&
               low.z() <= other.high.z() && other.low.z() <= high.z();
    }
};

// Its children are convex and have the same transform.
class pieces_shape : public btCompoundShape
{
  public:
    using btCompoundShape::btCompoundShape;

    // Finds the boxes in the world again when the body has moved or its pieces have changed.
    void find_boxes(const btTransform &body);
    // The boxes are those of older pieces.
    void forget_boxes()
    {
        boxes.clear();
    }
    const std::vector<piece_box> &piece_boxes() const
    {
        return boxes;
    }
    const piece_box &whole_box() const
    {
        return whole;
    }
    const btTransform &piece_transform() const
    {
        return pieces;
    }

  private:
    std::vector<piece_box> boxes;
    piece_box whole;
    btTransform at, pieces; // of the body and its pieces, when the boxes were found
};

} // namespace wri
